import { Console } from "effect"

/** Prints a line on stderr. Only results go to stdout. */
export const say = (line: string) => Console.error(line)
