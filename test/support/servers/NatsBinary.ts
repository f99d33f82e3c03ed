/** The nats-server that tests run. Where there is none new enough they are skipped, but never in CI. */
import * as NatsProgram from "#bench/harness/NatsProgram.ts"

const { missing, program: found } = NatsProgram.search()

/** The program, a path or a name in PATH; `null` where there is none new enough. */
export const program: string | null = found

export const isMissing = program === null && process.env["CI"] === undefined

/** What is missing and the command that brings it; empty where nothing is. */
export const whyNot = program === null ? ` (${missing}: ${NatsProgram.remedy})` : ""

/** The name of a test that needs the program: where it is skipped the name says why, and what to do about it. */
export const named = (name: string): string => `${name}${whyNot}`
