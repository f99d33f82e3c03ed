/** The nats-server program for tests. If none is new enough, tests are skipped, except in CI. */
import * as NatsProgram from "#bench/harness/NatsProgram.ts"

const { missing, program: found } = NatsProgram.search()

/** The program, as a path or a name in PATH; `null` if none is new enough. */
export const program: string | null = found

export const isMissing = program === null && process.env["CI"] === undefined

/** What is missing and how to install it; empty if nothing is missing. */
export const whyNot = program === null ? ` (${missing}: ${NatsProgram.remedy})` : ""

/** The name of a test that needs the program. A skipped test's name says why and how to install it. */
export const named = (name: string): string => `${name}${whyNot}`
