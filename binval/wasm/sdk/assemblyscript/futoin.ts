/**
 * Steps in AssemblyScript for WebAssembly. The entry file of a guest has this line, for the host:
 *
 *   export { futoin_call } from "./futoin";
 *
 * A step is an exported function with the parameters (as: Steps, data: usize, args: Args). asconfig.json, beside this
 * file, has the options of the compiler.
 *
 * AssemblyScript has no closures: what functions share is the data that they are added with. It may be an object, which
 * is kept until the step has ended, a pointer, or an integer of at most 32 bits.
 */

/** A step as its own code sees it. It is valid until the step has ended. */
@unmanaged
export class Steps {
  private api: usize;
  private number: u32;

  /** Adds a step. caught is called with the code of its error, which it handles by give, done, or further steps. */
  add<T>(
    data: T,
    run: (as: Steps, data: T, args: Args) => void,
    caught: ((as: Steps, data: T, code: Code) => void) | null = null,
  ): void {
    add(this.at, keep<T>(this.at, data), GETS | indexOf(changetype<usize>(run)), indexOf(changetype<usize>(caught)));
  }

  /** Adds a step whose steps are branches side by side. They must be added before the function returns. */
  parallel(): Steps {
    if (calls == 0) memoryOf(this.at);
    return changetype<Steps>(parallel(this.at, 0, 0));
  }

  /** Adds a step that runs inside of a guard. */
  sync<T>(guard: Guard, data: T, run: (as: Steps, data: T, args: Args) => void): void {
    addSync(this.at, guard.at, keep<T>(this.at, data), GETS | indexOf(changetype<usize>(run)), 0);
  }

  /** Adds a step that runs again and again, until breakLoop. */
  loop<T>(data: T, run: (as: Steps, data: T) => void, label: string = ""): void {
    const text = String.UTF8.encode(label, true);
    loop(this.at, keep<T>(this.at, data), indexOf(changetype<usize>(run)), labelled(label, text));
  }

  /** Adds a step that runs n times; i counts from 0. */
  repeat<T>(n: u32, data: T, run: (as: Steps, data: T, i: u32) => void, label: string = ""): void {
    const text = String.UTF8.encode(label, true);
    repeat(this.at, keep<T>(this.at, data), n, indexOf(changetype<usize>(run)), labelled(label, text));
  }

  /** Ends the nearest loop, or the one with the label. */
  breakLoop(label: string = ""): void {
    const text = String.UTF8.encode(label, true);
    breakLoop(this.at, labelled(label, text));
  }

  /** Ends the turn of the nearest loop, or of the one with the label. The next turn follows, if any. */
  continueLoop(label: string = ""): void {
    const text = String.UTF8.encode(label, true);
    continueLoop(this.at, labelled(label, text));
  }

  /** Succeeds with a number, a bool, a string or a Uint8Array. */
  give<T>(value: T): void {
    memory.fill(given, 0, ARGS);
    const out = changetype<Args>(given);
    if (isString<T>()) {
      const text = changetype<string>(value);
      const n = String.UTF8.byteLength(text, false);
      const at = heap.alloc(n + 1);
      String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, at); // a terminator would be looked for in the text
      store<u8>(at + n, 0);
      out.lend(STRING, at, n);
    } else if (isManaged<T>()) {
      if (!(value instanceof Uint8Array)) ERROR("give takes a number, a bool, a string or a Uint8Array");
      const bytes = changetype<Uint8Array>(value);
      const at = heap.alloc(bytes.length + 1);
      memory.copy(at, bytes.dataStart, bytes.length);
      out.lend(ARRAY | UINT8, at, bytes.length);
    } else {
      out.set<T>(value);
    }
    success(this.at, given);
  }

  /** Succeeds without a value. */
  done(): void {
    success(this.at, 0);
  }

  /** Fails the step. The code has 4096 bytes at most, and info is cut there. */
  fail(code: string, info: string = ""): void {
    const c = String.UTF8.encode(code, true);
    const i = String.UTF8.encode(info, true);
    handle_error(this.at, changetype<usize>(c), changetype<usize>(i));
  }

  /** Makes the step wait until a callback of after calls give, done, fail, breakLoop or continueLoop. */
  wait(): void {
    waitExternal(this.at);
  }

  /** Limits the time of the step, with its sub-steps. */
  timeout(ms: u32): void {
    setTimeout(this.at, ms);
  }

  /** Sets the function that is called if the step is left without success, for example by a cancel. */
  onCancel<T>(data: T, hook: (as: Steps, data: T) => void): void {
    setCancel(this.at, keep<T>(this.at, data), indexOf(changetype<usize>(hook)));
  }

  /** Calls back when the time has passed, unless the step that the host has called has ended by then. */
  after<T>(ms: u32, data: T, callback: (data: T) => void): void {
    if (calls == 0) memoryOf(this.at);
    const timer = new TimerOf<T>(data, callback);
    const at = changetype<usize>(timer);
    timers.set(at, timer);
    sched_deferred(handle, this.at, ms, at, indexOf(changetype<usize>(fire)));
  }

  get at(): usize {
    return changetype<usize>(this);
  }
}

/**
 * The argument of a step: one value, or none. It is valid until the function returns. A step that the host calls by its name takes a
 * string or bytes, or drops them: otherwise they stay in the memory of the instance.
 */
@unmanaged
export class Args {
  private type: usize;
  private unused: u32;
  private union: u64;
  private data: u32;
  private length: u32;

  /** Returns the argument if it is a T, a number or a bool, and otherwise the other value. */
  number<T>(otherwise: T): T {
    return this.is(kindOf<T>()) ? load<T>(changetype<usize>(this) + offsetof<Args>("union")) : otherwise;
  }

  /** Takes a string. Returns "" if the argument isn't a string, or was taken before. */
  string(): string {
    if (!this.is(STRING)) return "";
    const text = String.UTF8.decodeUnsafe(this.union as usize, this.length);
    this.drop();
    return text;
  }

  /** Takes an array of bytes. Returns an empty one if the argument isn't one, or was taken before. */
  bytes(): Uint8Array {
    if (!this.is(ARRAY | UINT8)) return new Uint8Array(0);
    const bytes = new Uint8Array(this.length);
    memory.copy(bytes.dataStart, this.union as usize, this.length);
    this.drop();
    return bytes;
  }

  /** Frees the argument. Steps that were added needn't call it. */
  drop(): void {
    if (this.type == 0) return;
    const flags = load<u8>(this.type);
    const cleanup = load<u32>(this.type, 4);
    if (cleanup != 0) {
      call_indirect<void>(cleanup, changetype<usize>(this));
    } else if (this.union != 0 && (flags < BOOL || flags >= ARRAY)) {
      heap.free(this.union as usize);
    }
    this.type = 0;
  }

  set<T>(value: T): void {
    this.type = typeOf(kindOf<T>(), 0);
    store<T>(changetype<usize>(this) + offsetof<Args>("union"), value);
  }

  lend(kind: u8, at: usize, length: u32): void {
    this.type = typeOf(kind, indexOf(changetype<usize>(free)));
    this.union = at as u64;
    this.length = length;
  }

  private is(kind: u8): bool {
    return this.type != 0 && load<u8>(this.type) == kind;
  }
}

/** The code of an error, which is valid until the handler returns. */
@unmanaged
export class Code {
  private first: u8;

  toString(): string {
    const at = changetype<usize>(this);
    let n = 0;
    while (load<u8>(at + n) != 0) ++n;
    return String.UTF8.decodeUnsafe(at, n);
  }
}

/** A guard of the host. */
@unmanaged
export class Guard {
  private api: usize;
  private number: u32;

  /** Returns the guard that the host shares by that name, or null. */
  static find(name: string): Guard | null {
    const text = String.UTF8.encode(name, true);
    return changetype<Guard | null>(guard(changetype<usize>(text)));
  }

  /**
   * Enters the guard: the steps that the function adds after the call are inside. The step fails if the guard refuses it. A function
   * locks a guard once; steps that it adds may lock it again.
   */
  lock(as: Steps): void {
    lock(as.at, this.at);
  }

  /** Leaves the guard. */
  unlock(as: Steps): void {
    unlock(as.at, this.at);
  }

  get at(): usize {
    return changetype<usize>(this);
  }
}

/** The host calls this function to call functions of the guest, and to allocate and free its memory. */
export function futoin_call(op: u32, f: u32, a: usize, b: usize, c: usize): usize {
  switch (op) {
    case 1:
      calls++;
      call_indirect<void>(f, a);
      calls--;
      return 0;
    case 2:
      calls++;
      call_indirect<void>(f, a, b);
      calls--;
      return 0;
    case 3:
      calls++;
      call_indirect<void>(f & ~GETS, a, b, c);
      if (f & GETS) changetype<Args>(c).drop();
      calls--;
      return 0;
    case 5:
      return heap.alloc(a);
    case 6:
      heap.free(a);
  }
  return 0;
}

/** The flag in the number of a function that gets an argument. If the function doesn't take the argument, it is dropped afterwards. */
const GETS: u32 = 1 << 31;

// The kinds of values.
const STRING: u8 = 0x02;
const BOOL: u8 = 0x05;
const INT8: u8 = 0x06;
const UINT8: u8 = 0x0a;
const FLOAT: u8 = 0x0e;
const DOUBLE: u8 = 0x0f;
const ARRAY: u8 = 0x10;

function kindOf<T>(): u8 {
  if (isBoolean<T>()) return BOOL;
  if (isFloat<T>()) return sizeof<T>() == 4 ? FLOAT : DOUBLE;
  if (!isInteger<T>()) ERROR("only numbers and bools are values of a fixed size");
  return (isSigned<T>() ? INT8 : UINT8) + (ctz(sizeof<T>()) as u8);
}

const ARGS: usize = 96;
const given: usize = memory.data(96, 8);
const handle: usize = memory.data(12, 4);
const types: usize = memory.data(256, 4);

/** Returns the FutoInType of a kind. */
function typeOf(kind: u8, cleanup: u32): usize {
  const at = types + (kind as usize) * 8;
  store<u8>(at, kind);
  store<u32>(at, cleanup, 4);
  return at;
}

/** The cleanup of a value that the guest has given. */
function free(value: Args): void {
  heap.free(load<u32>(changetype<usize>(value) + offsetof<Args>("union")));
}

function indexOf(f: usize): u32 {
  return f ? load<u32>(f) : 0;
}

function labelled(label: string, text: ArrayBuffer): usize {
  return label.length > 0 ? changetype<usize>(text) : 0;
}

// Objects that the host refers to are kept until their step has ended.

class Keeper {
  next: Keeper | null = null;
}

class Kept<T> extends Keeper {
  constructor(public object: T) {
    super();
  }
}

/** The memory of each step whose cleanup makes the guest forget the objects of the step. */
const memories = new Map<usize, usize>();
const keepers = new Map<usize, Keeper>();

// The step whose export the host has called, from the first use of memoryOf until the step has ended, and otherwise 0. calls counts the
// calls by futoin_call that are being executed; the code of outer isn't in one of them.
let outer: usize = 0;
let calls: u32 = 0;

abstract class Timer {
  abstract fire(): void;
}

class TimerOf<T> extends Timer {
  constructor(
    private data: T,
    private callback: (data: T) => void,
  ) {
    super();
  }

  fire(): void {
    this.callback(this.data);
  }
}

/** The timers that haven't fired. */
const timers = new Map<usize, Timer>();

function fire(at: usize): void {
  const timer = timers.get(at);
  timers.delete(at);
  timer.fire();
}

/**
 * Returns the memory that is cleaned up when the step has ended, or 0 if it has ended or its pointer may not be used now: the
 * host would clean nothing up.
 */
function memoryOf(as: usize): usize {
  if (memories.has(as)) return memories.get(as);
  if (!isValid(as)) return 0;
  if (calls == 0 && outer == 0) outer = as; // later, as may be a parallel step of outer
  const at = stack(as, 4, indexOf(changetype<usize>(forget)));
  store<u32>(at, as);
  memories.set(as, at);
  return at;
}

function keep<T>(as: usize, data: T): usize {
  if (calls == 0) memoryOf(as); // for timers of the steps inside
  if (isManaged<T>()) {
    const at = memoryOf(as);
    if (at == 0) return 0; // the call that the object is for is a violation
    const kept = new Kept<T>(data);
    if (keepers.has(at)) kept.next = keepers.get(at);
    keepers.set(at, kept);
    return changetype<usize>(data);
  }
  if (sizeof<T>() > 4) ERROR("data has at most 32 bits");
  // @ts-ignore: a number or a pointer
  if (isInteger<T>()) return data as usize;
  return changetype<usize>(data);
}

function forget(at: usize): void {
  const as = load<usize>(at);
  keepers.delete(at);
  memories.delete(as);
  if (as != outer) return;
  outer = 0;
  timers.clear(); // the host has cancelled those that are left
}

@external("futoin", "add")
declare function add(as: usize, data: usize, run: u32, caught: u32): void;
@external("futoin", "parallel")
declare function parallel(as: usize, data: usize, caught: u32): usize;
@external("futoin", "stack")
declare function stack(as: usize, size: u32, cleanup: u32): usize;
@external("futoin", "success")
declare function success(as: usize, args: usize): void;
@external("futoin", "handle_error")
declare function handle_error(as: usize, code: usize, info: usize): void;
@external("futoin", "setTimeout")
declare function setTimeout(as: usize, ms: u32): void;
@external("futoin", "setCancel")
declare function setCancel(as: usize, data: usize, hook: u32): void;
@external("futoin", "waitExternal")
declare function waitExternal(as: usize): void;
@external("futoin", "loop")
declare function loop(as: usize, data: usize, run: u32, label: usize): void;
@external("futoin", "repeat")
declare function repeat(as: usize, data: usize, n: u32, run: u32, label: usize): void;
@external("futoin", "breakLoop")
declare function breakLoop(as: usize, label: usize): void;
@external("futoin", "continueLoop")
declare function continueLoop(as: usize, label: usize): void;
@external("futoin", "addSync")
declare function addSync(as: usize, guard: usize, data: usize, run: u32, caught: u32): void;
@external("futoin", "sched_deferred")
declare function sched_deferred(handle: usize, as: usize, ms: u32, data: usize, callback: u32): void;
@external("futoin", "isValid")
declare function isValid(as: usize): u32;
@external("futoin", "guard")
declare function guard(name: usize): usize;
@external("futoin", "lock")
declare function lock(as: usize, guard: usize): void;
@external("futoin", "unlock")
declare function unlock(as: usize, guard: usize): void;
