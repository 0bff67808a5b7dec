import fc from 'fast-check';

// A run fails because of what was changed, not because of what it happened to try: every run tries the same.
// `npm run fuzz -- --properties 5` tries others.
fc.configureGlobal({ seed: Number(process.env.SKEIN_SEED ?? 1) });
