// A server that ends before it has begun.
console.error(`no licence for ${process.env.LICENCE}`);
process.exit(1);
