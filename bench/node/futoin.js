'use strict';

// The rows on futoin-asyncsteps. Each gives, for a size, a function that does
// the work once and promises its result. What can be built once is built once:
// steps are kept in a model, and copied by each run, as that package advises.

const $as = require('futoin-asyncsteps');
const Mutex = require('futoin-asyncsteps/Mutex');
const Throttle = require('futoin-asyncsteps/Throttle');
const Limiter = require('futoin-asyncsteps/Limiter');

const HOUR = 3600e3;
const plenty = 1e9;

const inc = (as, v) => as.success(v + 1);

// run copies a model for each operation.
const run = (build) => {
    const model = $as();
    model.add((as) => as.success(0));
    build(model);
    return () => $as().copyFrom(model).promise();
};

const times = (n, one) => run((as) => {
    for (let i = 0; i < n; i++) one(as);
});

const guarded = (n, guard) => times(n, (as) => as.sync(guard, inc));

exports.name = 'js.futoin';

exports.rows = {
    Run: (n) => times(n, (as) => as.add(inc)),
    Steps: (n) => times(n, (as) => as.add(inc)),
    Into: (n) => {
        let step = inc;
        for (let i = 0; i < n; i++) {
            const inner = step;
            step = (as, v) => {
                as.add((as) => inner(as, v));
            };
        }
        return run((as) => as.add(step));
    },
    Catch: (n) => times(n, (as) => as.add((as) => as.error('Declared'), (as, err) => as.success(1))),
    Par2: () => par(2),
    Par: (n) => par(n),
    Wait: (n) => times(n, (as) => as.add((as, v) => {
        as.waitExternal();
        $as.AsyncTool.callImmediate(() => as.success(v + 1));
    })),
    Mutex: (n) => guarded(n, new Mutex(1, null)),
    Throttle: (n) => guarded(n, new Throttle(plenty, HOUR, null)),
    Limiter: (n) => guarded(n, new Limiter({
        concurrent: 1, max_queue: null, rate: plenty, period_ms: HOUR, burst: null,
    })),
    Timeout: (n) => times(n, (as) => as.add((as, v) => {
        as.setTimeout(HOUR);
        as.success(v + 1);
    })),
};

// par has no arguments and no results there: branches write to what they share.
const par = (n) => () => {
    const results = new Array(n);
    const as = $as();
    const p = as.parallel();
    for (let i = 0; i < n; i++) {
        p.add((as) => {
            results[i] = 1;
            as.success();
        });
    }
    as.add((as) => as.success(results.reduce((a, b) => a + b, 0)));
    return as.promise();
};
