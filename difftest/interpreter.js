'use strict';

// Runs a program of package proptest/script on futoin-asyncsteps and records
// its trace. Written as that package's users would write it.

const clock = require('./clock');
const $as = require('futoin-asyncsteps');
const Mutex = require('futoin-asyncsteps/Mutex');
const Throttle = require('futoin-asyncsteps/Throttle');
const Limiter = require('futoin-asyncsteps/Limiter');

const TICK = 10; // ms

const hidden = (code) =>
    ['InternalError', 'Timeout', 'DefenseRejected', 'LoopBreak', 'LoopCont'].includes(code) || code.startsWith('Prom');

const ended = (code, info) => (hidden(code) ? [code] : [code, info || null]);

const orNull = (v) => (v === undefined ? null : v);

const equal = (a, b) => JSON.stringify(orNull(a)) === JSON.stringify(orNull(b));

const compare = {
    eq: (a, b) => a === b,
    ne: (a, b) => a !== b,
    lt: (a, b) => a < b,
    ge: (a, b) => a >= b,
};

const makeGuard = (g) => {
    switch (g.type) {
    case 'mutex': return new Mutex(g.max, g.max_queue);
    case 'throttle': return new Throttle(g.max, g.period * TICK, g.max_queue);
    default:
        return new Limiter({
            concurrent: g.concurrent, max_queue: g.max_queue,
            rate: g.rate, period_ms: g.period * TICK, burst: g.burst,
        });
    }
};

// future settles delay ticks after it was made.
const future = ({ delay, reject, resolve }) => {
    let promise;
    if (delay) {
        promise = new Promise((yes, no) => {
            setTimeout(() => (reject === undefined ? yes(orNull(resolve)) : no(reject)), delay * TICK);
        });
    } else {
        promise = reject === undefined ? Promise.resolve(orNull(resolve)) : Promise.reject(reject);
    }
    promise.catch(() => {}); // perhaps nobody comes to wait for it
    return promise;
};

class Execution {
    constructor(program) {
        this.program = program;
        this.trace = { strands: {}, out: program.roots.map(() => null), seq: {}, marks: {}, occ: {} };
        this.guards = {};
        this.models = {};
        this.roots = [];
        this.early = new Map();
        for (const [name, g] of Object.entries(program.sync || {})) this.guards[name] = makeGuard(g);
        for (const name of Object.keys(program.models || {})) this.models[name] = this.model(name, {});
    }

    start() {
        this.program.roots.forEach((root, i) => {
            if (root.spawn) return;
            this.roots[i] = $as();
            // The futures of a root's setup are made now, however late it starts.
            for (const a of root.do) if (a.op === 'await') this.early.set(a, future(a.promise));
            setTimeout(() => this.execute(this.roots[i], i), (root.at || 0) * TICK);
            if (root.cancel !== undefined) {
                setTimeout(() => this.cancel(i), root.cancel * TICK);
            }
        });
    }

    // execute sets a root up and starts it. There is no hook for an error that
    // nobody handles, so a step with a handler holds everything.
    execute(as, i) {
        const root = this.program.roots[i];
        const scope = { root: `${i}`, path: '', iters: {} };
        Object.assign(as.state, root.state, { _r: `${i}` });
        if (root.via === 'promise') {
            this.act({ as, scope, args: [] }, root.do);
            as.promise().then(
                (v) => this.end(i, ['ok', v === undefined ? [] : [v]]),
                (e) => this.end(i, ['err', ...ended(e.message, as.state.error_info)]));
            return;
        }
        as.add(
            (as) => this.act({ as, scope, args: [], outer: this.roots[i] }, root.do),
            (as, code) => this.end(i, ['err', ...ended(code, as.state.error_info)]),
        );
        as.add((as, ...args) => this.end(i, ['ok', args.map(orNull)]));
        as.execute();
    }

    cancel(i) {
        if (this.trace.out[i] === null) {
            this.roots[i].cancel();
            this.end(i, ['cancelled']);
        }
    }

    end(i, outcome) { this.trace.out[i] = outcome; }

    model(name, scope) {
        const described = this.program.models[name];
        const as = $as();
        Object.assign(as.state, described.state);
        this.act({ as, scope, args: [] }, described.do);
        return as;
    }

    note(c, ...event) {
        (this.trace.strands[this.strand(c)] ||= []).push(event);
    }

    strand(c) { return c.scope.root + c.scope.path; }

    now() { return Math.floor(clock.now() / TICK + 0.05); }

    // call gives what a callback sees. The steps of a shared model find out who
    // executes them.
    call(as, scope, more) {
        const known = { path: '', iters: {}, ...scope, root: scope.root ?? as.state._r };
        return { as, scope: known, ...more };
    }

    act(c, actions) {
        for (const a of actions || []) {
            if (this[a.op] === undefined) throw new Error(`no such op: ${a.op}`);
            if (this[a.op](c, a) === 'over') return 'over';
        }
        return undefined;
    }

    body(step, scope, drop) {
        return (as, ...args) => {
            const c = this.call(as, scope, { id: step.id, quiet: step.quiet, args: drop ? [] : args });
            if (!step.quiet) this.note(c, 'step', step.id);
            this.act(c, step.do);
        };
    }

    handler(step, scope) {
        if (step.catch === undefined) return undefined;
        return (as, code) => {
            const c = this.call(as, scope, { id: step.id, quiet: step.quiet, args: [], code });
            if (!step.quiet) this.note(c, 'catch', step.id, ...ended(code, as.state.error_info));
            this.act(c, step.catch);
        };
    }

    // ---- structure

    add(c, a) { c.as.add(this.body(a.step, c.scope), this.handler(a.step, c.scope)); }

    sync(c, a) { c.as.sync(this.guards[a.obj], this.body(a.step, c.scope), this.handler(a.step, c.scope)); }

    successStep(c, a) { c.as.successStep(...a.args); }

    parallel(c, a) {
        const p = c.as.parallel(this.handler(a, c.scope));
        a.branches.forEach((step, j) => {
            const scope = { ...c.scope, path: `${c.scope.path || ''}/${a.id}.${j}` };
            p.add(this.body(step, scope, true), this.handler(step, scope));
        });
    }

    turn(c, a, kind) {
        return (as, i, ...event) => {
            const scope = { ...c.scope, iters: { ...c.scope.iters, [a.id]: i } };
            const inner = this.call(as, scope, { id: a.id, args: [] });
            this.note(inner, kind, a.id, ...event);
            this.act(inner, a.do);
        };
    }

    loop(c, a) {
        const turn = this.turn(c, a, 'iter');
        let i = 0;
        c.as.loop((as) => turn(as, i, i++), a.label);
    }

    repeat(c, a) {
        const turn = this.turn(c, a, 'iter');
        c.as.repeat(a.count, (as, i) => turn(as, i, i), a.label);
    }

    forEach(c, a) {
        const turn = this.turn(c, a, 'each');
        let i = 0;
        const over = a.list || Object.fromEntries(a.map);
        c.as.forEach(over, (as, key, value) => turn(as, i++, key, value), a.label);
    }

    await(c, a) {
        c.as.await(this.early.get(a) || future(a.promise), this.handler(a, c.scope));
    }

    copyFrom(c, a) { c.as.copyFrom(a.fresh ? this.model(a.model, c.scope) : this.models[a.model]); }

    spawn(c, a) {
        this.roots[a.root] = c.as.newInstance();
        this.execute(this.roots[a.root], a.root);
    }

    outerAdd(c) { this.roots[Number(c.scope.root)].add((as) => {}); }

    // ---- completion

    success(c, a) {
        c.as.success(...a.args);
        return 'over';
    }

    error(c, a) { c.as.error(a.code, a.info); }

    break(c, a) { c.as.break(a.label); }

    continue(c, a) { c.as.continue(a.label); }

    // ---- control

    setTimeout(c, a) { c.as.setTimeout(a.ticks * TICK); }

    waitExternal(c) { c.as.waitExternal(); }

    setCancel(c, a) {
        c.as.setCancel((as) => {
            if (c.stop) c.stop();
            const hook = { ...c, as: c.as };
            if (!c.quiet) this.note(hook, 'cancel', c.id);
            this.act(hook, a.do);
        });
    }

    wait(c, a) {
        const then = a.then || { success: [] };
        const timer = setTimeout(() => {
            if (!c.as.state) return;
            try {
                if (then.error === undefined) c.as.success(...then.success);
                else c.as.error(then.error, then.info);
            } catch {
                // the error is for the flow
            }
        }, a.ticks * TICK);
        c.stop = () => clearTimeout(timer);
        c.as.setCancel((as) => c.stop());
    }

    // ---- observation

    log(c, a) { this.note(c, 'log', a.msg); }

    args(c) { this.note(c, 'args', c.args.map(orNull)); }

    errinfo(c) { this.note(c, 'info', c.as.state.error_info || null); }

    time(c) { this.note(c, 'time', this.now()); }

    set(c, a) { c.as.state[a.key] = orNull(a.value); }

    inc(c, a) { c.as.state[a.key] = (c.as.state[a.key] || 0) + 1; }

    get(c, a) { this.note(c, 'get', a.key, orNull(c.as.state[a.key])); }

    seq(c, a) { (this.trace.seq[a.name] ||= []).push(this.strand(c)); }

    mark(c, a) {
        const ticks = (this.trace.marks[a.name] ||= []);
        ticks.push(this.now());
        ticks.sort((x, y) => x - y);
    }

    occupy(name, change) {
        const o = (this.trace.occ[name] ||= { max: 0, end: 0 });
        o.end += change;
        o.max = Math.max(o.max, o.end);
    }

    enter(c, a) { this.occupy(a.name, 1); }

    leave(c, a) { this.occupy(a.name, -1); }

    if(c, a) { return this.act(c, this.holds(c, a.cond) ? a.then : a.else); }

    holds(c, cond) {
        if (cond.iter !== undefined) return compare[cond.cmp](c.scope.iters[cond.iter], cond.n || 0);
        if (cond.state !== undefined) return equal(c.as.state[cond.state], cond.is);
        if (cond.arg !== undefined) return equal(c.args[cond.arg], cond.is);
        return c.code === cond.code;
    }
}

// run gives the trace of a program, or throws. Ticks is when it ends at last.
exports.run = async (program, ticks) => {
    clock.reset();
    const x = new Execution(program);
    x.start();
    await clock.run(ticks * TICK);
    const { strands, out, seq, marks, occ } = x.trace;
    out.forEach((outcome, i) => {
        if (outcome === null && x.roots[i]) throw new Error(`root ${i} hasn't ended`);
    });
    return { strands, out, seq, marks, occ };
};
