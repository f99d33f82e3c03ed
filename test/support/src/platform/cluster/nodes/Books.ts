/** The results of a node's commands for the log and its own read models. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import type { Node } from "#test/support/Nodes.ts"
import * as Invariants from "./Invariants.ts"

export interface Expected {
  /** The only account by default. */
  readonly account?: string
  /** nano-USD */
  readonly balance: bigint
}

/** Expects correct books, a read model that agrees to the end, and no reservation. Returns the audit. */
export const check = Effect.fnUntraced(function* ({ settings }: Node, { account, balance }: Expected) {
  const named = account === undefined ? [] : ["--account", account]
  // Waits until the node's ledger has reached the end of the log, because the audit does not wait.
  const shown = yield* Inferlog.run(["balance", "show", "--json", ...named], settings)
  const audit = yield* Inferlog.run(["audit"], settings)
  assert.strictEqual(audit.code, 0, audit.stderr)
  assert.match(audit.stdout, /The books are right/)
  assert.match(audit.stdout, /it agrees as of position \S+\.$/m)
  assert.strictEqual(shown.code, 0, shown.stderr)
  const told = JSON.parse(shown.stdout) as { readonly balance: string; readonly reserved: string }
  assert.strictEqual(Invariants.nanoUsd(told.reserved), 0n)
  assert.strictEqual(Invariants.nanoUsd(told.balance), balance)
  return audit.stdout
})

/** Verifies the chain, the payloads and the node's log.head. */
export const verify = Effect.fnUntraced(function* ({ settings }: Node) {
  const verified = yield* Inferlog.run(["log", "verify"], settings)
  assert.strictEqual(verified.code, 0, verified.stderr)
})
