'use strict';

// Reads requests, one JSON object a line: {"program": …}. Answers each with a
// line: {"trace": …} or {"error": …}.

require('./clock'); // before everything else
const { run } = require('./interpreter');

const MAX_TICKS = 1e9;

const lines = require('readline').createInterface({ input: process.stdin });

(async () => {
    for await (const line of lines) {
        const { program } = JSON.parse(line);
        let answer;
        try {
            answer = { trace: await run(program, MAX_TICKS) };
        } catch (e) {
            answer = { error: e.stack };
        }
        process.stdout.write(`${JSON.stringify(answer)}\n`);
    }
})();
