// The route for clients of the AG-UI protocol.
export * from '@skein/forest/ag-ui';
