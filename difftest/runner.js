'use strict';

// Reads requests, one JSON object a line: {"program": …, "reversed": …}. Answers
// each with a line: {"trace": …} or {"error": …}. With reversed, timers of one
// deadline fire the other way round.

require('./clock'); // before everything else
const { run } = require('./interpreter');

const MAX_TICKS = 1000;

const lines = require('readline').createInterface({ input: process.stdin });

(async () => {
    for await (const line of lines) {
        const { program, reversed } = JSON.parse(line);
        let answer;
        try {
            answer = { trace: await run(program, MAX_TICKS, !!reversed) };
        } catch (e) {
            answer = { error: e.stack };
        }
        process.stdout.write(`${JSON.stringify(answer)}\n`);
    }
})();
