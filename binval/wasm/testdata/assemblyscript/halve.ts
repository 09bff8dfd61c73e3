import { Args, Steps } from "./futoin";
export { futoin_call } from "./futoin";

export function halve(as: Steps, data: usize, args: Args): void {
  const n = args.number<i32>(0);
  if (n % 2) {
    as.fail("OddNumber", "can't be halved");
    return;
  }
  as.give(n / 2);
}
