/** A password typed on a terminal, key by key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Queue, Redacted, Stdio, Terminal } from "effect"
import { AccountId } from "#domain/Ids.ts"
import * as PasswordInput from "#src/cli/accounts/PasswordInput.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const accountId = AccountId.make("acc_0123456789abcdef")

const terminalOf = (keys: string, shown: Array<string>) => {
  let typed = 0
  return Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Queue.unbounded(),
    readLine: Effect.die("nothing reads lines"),
    display: (text) => Effect.sync(() => void shown.push(text)),
    // Input that a prompt did not read remains for the next one.
    readInput: Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput>()
      while (typed < keys.length) {
        const key = keys.charAt(typed++)
        Queue.offerUnsafe(queue, inputOf(key))
        if (key === "\r") break
      }
      return queue
    })
  })
}

const inputOf = (key: string): Terminal.UserInput => ({
  input: key === "\r" ? Option.none() : Option.some(key),
  key: {
    name: key === "\r" ? "enter" : key === "\u0003" ? "c" : key,
    ctrl: key === "\u0003",
    meta: false,
    shift: false
  }
})

const type = Effect.fnUntraced(function* (
  keys: string,
  options: { readonly stdoutIsTerminal?: boolean } = {}
) {
  const shown: Array<string> = []
  const exit = yield* PasswordInput.read(accountId).pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.succeed(Terminal.Terminal, terminalOf(keys, shown)),
        Stdio.layerTest({
          stdinIsTerminal: Effect.succeed(true),
          stdoutIsTerminal: Effect.succeed(options.stdoutIsTerminal ?? true)
        })
      ).pipe(Layer.provideMerge(NodeServices.layer))
    ),
    Effect.exit
  )
  return { exit, shown: shown.join("") }
})

describe("A password on a terminal", () => {
  it.effect("is requested twice, and never shown", () =>
    Effect.gen(function* () {
      const { exit, shown } = yield* type("correct horse battery\rcorrect horse battery\r")
      assert.strictEqual(Exit.isSuccess(exit) ? Redacted.value(exit.value) : null, "correct horse battery")
      assert.match(shown, /New password of acc_0123456789abcdef[\s\S]*Repeat the password/)
      assert.notMatch(shown, /correct|horse|battery|\*\*/)
    })
  )

  it.effect("is rejected when the two entries differ", () =>
    Effect.gen(function* () {
      const { exit } = yield* type("correct horse battery\rcorrect horse batterx\r")
      assert.include(JSON.stringify(exit), "The two passwords differ")
      assert.notInclude(JSON.stringify(exit), "horse")
    })
  )

  it.effect("is not requested when stdout is not a terminal", () =>
    Effect.gen(function* () {
      const { exit, shown } = yield* type("", { stdoutIsTerminal: false })
      assert.include(JSON.stringify(exit), "stdout is not a terminal")
      assert.strictEqual(shown, "")
    })
  )
})
