import { echo, fail, flaky, invalidOutput, partial, providerFail } from "./sandbox/SimpleRuns.ts"
import type { SandboxRun } from "./sandbox/SandboxRun.ts"
import { slow } from "./sandbox/SlowRun.ts"

const runs: ReadonlyMap<string, SandboxRun> = new Map([
  ["sandbox/echo", echo],
  ["sandbox/slow", slow],
  ["sandbox/fail", fail],
  ["sandbox/provider-fail", providerFail],
  ["sandbox/invalid-output", invalidOutput],
  ["sandbox/partial", partial],
  ["sandbox/flaky", flaky]
])

/** The run of a sandbox model; `null` for another model. */
export const find = (endpoint: string): SandboxRun | null => runs.get(endpoint) ?? null
