import { Console } from "effect"

/** A line on stderr: only results go to stdout. */
export const say = (line: string) => Console.error(line)
