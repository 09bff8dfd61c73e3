// Steps that sdkas_test.go checks.
import { Args, Steps } from "./futoin";
export { futoin_call } from "./futoin";

export function hello(as: Steps, data: usize, args: Args): void {
  as.give("Hello, " + args.string());
}

// waits: a timer completes the step

export function waits(as: Steps, data: usize, args: Args): void {
  as.wait();
  as.after(20, as, (as) => as.give(7));
}

// adds: two branches side by side, then a step that adds up what they have found

class Sums {
  right: i32 = 0;
  constructor(public left: i32) {}
}

export function adds(as: Steps, data: usize, args: Args): void {
  const sums = new Sums(args.number<i32>(0));
  const branches = as.parallel();
  branches.add(sums, (as, sums) => { sums.left += 20; });
  branches.add(sums, (as, sums) => { sums.right += 20; });
  as.add(sums, (as, sums) => as.give(sums.left + sums.right));
}

export function fails(as: Steps, data: usize, args: Args): void {
  as.fail("OutOfStock", "three are left");
}

// handles: it answers the error of a sub-step by a value

export function handles(as: Steps, data: usize, args: Args): void {
  as.add(data, fails, (as, data, code) => as.give(code.toString()));
}

// outlives: the timer of a step that has ended

let told: i32 = 0;

export function outlives(as: Steps, data: usize, args: Args): void {
  as.add(as, (as) => as.after(1, new Sums(42), (sums) => { told = sums.left; }));
  as.add(as, (as) => {
    __collect();
    for (let n = 0; n < 1000; n++) new Sums(n);
    as.wait();
    as.after(10, as, (as) => as.give(told));
  });
}

// late: it ends before its timers

export function late(as: Steps, data: usize, args: Args): void {
  as.after(3600000, new Uint8Array(64 << 10), (large) => { large.fill(1); });
  as.add(as, (as) => as.after(3600000, new Uint8Array(64 << 10), (large) => { large.fill(1); }));
}

// beside: a timer lives longer than branches that are added last

export function beside(as: Steps, data: usize, args: Args): void {
  const sums = new Sums(0);
  const branches = as.parallel();
  as.after(5, sums, (sums) => { sums.left = 42; });
  as.add(sums, (as, sums) => {
    as.wait();
    as.after(10, new Late(as, sums), (late) => late.as.give(late.sums.left));
  });
  branches.add(sums, (as, sums) => {});
}

class Late {
  constructor(
    public as: Steps,
    public sums: Sums,
  ) {}
}

// leaves, uses: a pointer is used when its step has ended

let ended: usize = 0;

export function leaves(as: Steps, data: usize, args: Args): void {
  as.add(0, (as, data) => { ended = as.at; });
}

export function uses(as: Steps, data: usize, args: Args): void {
  keeps(changetype<Steps>(ended), 0, args);
}

export function keeps(as: Steps, data: usize, args: Args): void {
  as.add(new Uint8Array(64 << 10), (as, large) => { large.fill(1); });
}

// hands: it gives a string to a step that doesn't take it

export function hands(as: Steps, data: usize, args: Args): void {
  as.add(data, (as) => as.give("x".repeat(64 << 10)));
  as.add(data, (as) => as.give(7));
}

export function drops(as: Steps, data: usize, args: Args): void {
  args.drop();
}

// again: it takes a string twice

export function again(as: Steps, data: usize, args: Args): void {
  as.give(args.string().length > 0 && args.string().length == 0);
}
