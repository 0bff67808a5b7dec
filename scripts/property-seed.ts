import fc from 'fast-check';

// A fixed seed: a run must fail because of a change, not by chance. `npm run fuzz -- --properties 5` uses other seeds.
fc.configureGlobal({ seed: Number(process.env.SKEIN_SEED ?? 1) });
