'use strict';

// The rows on effect, like those on futoin-asyncsteps. Effects are built once;
// each operation is a runPromise.

const { Effect, Semaphore } = require('effect');

const inc = (v) => Effect.succeed(v + 1);

const run = (effect) => () => Effect.runPromise(effect);

const times = (n, one) => {
    let effect = Effect.succeed(0);
    for (let i = 0; i < n; i++) effect = Effect.flatMap(effect, one);
    return run(effect);
};

exports.name = 'js.effect';

exports.rows = {
    Run: (n) => times(n, inc),
    Steps: (n) => times(n, inc),
    Into: (n) => {
        let step = inc;
        for (let i = 0; i < n; i++) {
            const inner = step;
            step = (v) => Effect.suspend(() => inner(v));
        }
        return run(step(0));
    },
    Catch: (n) => times(n, () => Effect.catch(Effect.fail('Declared'), () => Effect.succeed(1))),
    Par2: () => par(2),
    Par: (n) => par(n),
    Wait: (n) => times(n, (v) => Effect.callback((resume) => {
        queueMicrotask(() => resume(Effect.succeed(v + 1)));
    })),
    Mutex: (n) => {
        const one = Semaphore.makeUnsafe(1);
        return times(n, (v) => one.withPermits(1)(inc(v)));
    },
    Timeout: (n) => times(n, (v) => Effect.timeout(inc(v), '1 hour')),
};

// par suspends the branches, so that each run calls their functions.
const par = (n) => {
    const branch = Effect.suspend(() => inc(0));
    const all = Effect.all(new Array(n).fill(branch), { concurrency: 'unbounded' });
    return run(Effect.map(all, (results) => results.reduce((a, b) => a + b, 0)));
};
