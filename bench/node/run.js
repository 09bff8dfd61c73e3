'use strict';

// Measures the rows of the comparison on JavaScript packages, and prints the
// figures as Go's benchmarks do: node run.js [milliseconds for each].

const rows = {
    Run: { want: (n) => n },
    Steps: { sizes: [1, 10, 16, 100], want: (n) => n },
    Into: { sizes: [1, 16, 100], want: () => 1 },
    Catch: { sizes: [1, 16], want: () => 1 },
    Par2: { want: () => 2 },
    Par: { sizes: [1, 10, 100, 1000], want: (n) => n },
    Wait: { sizes: [2, 16], want: (n) => n },
    Mutex: { sizes: [1, 16], want: (n) => n },
    Throttle: { sizes: [1, 16], want: (n) => n },
    Limiter: { sizes: [1, 16], want: (n) => n },
    Timeout: { sizes: [1, 16], want: (n) => n },
};

const peers = [require('./futoin'), require('./effect')];

// repeat does the work and checks its result, count times; it gives nanoseconds.
const repeat = async (op, count, want) => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < count; i++) {
        const got = await op();
        if (got !== want) throw new Error(`got ${got}, want ${want}`);
    }
    return Number(process.hrtime.bigint() - start);
};

// measure repeats more and more often until it takes long enough.
const measure = async (op, want, least) => {
    for (let count = 1; ; ) {
        const took = await repeat(op, count, want);
        if (took >= least) return { count, each: took / count };
        const guess = Math.ceil((1.2 * least * count) / Math.max(took, 1));
        count = Math.min(Math.max(guess, count + 1), 100 * count);
    }
};

(async () => {
    const least = Number(process.argv[2] ?? 300) * 1e6;
    for (const [row, { sizes, want }] of Object.entries(rows)) {
        for (const n of sizes ?? [1]) {
            for (const { name, rows: has } of peers) {
                if (!has[row]) continue;
                const op = has[row](n);
                await measure(op, want(n), least / 3); // lets the compiler do its work
                const { count, each } = await measure(op, want(n), least);
                const size = sizes ? `/n=${n}` : '';
                console.log(`Benchmark${row}/col=${name}${size} ${count} ${each.toFixed(1)} ns/op`);
            }
        }
    }
    process.exit(0); // a throttle's timer would go on
})().catch((e) => {
    console.error(e);
    process.exit(1);
});
