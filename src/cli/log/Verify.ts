import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Anchor } from "#streams/Verify.ts"
import * as Output from "#src/cli/Output.ts"
import type { Call } from "#src/edges/admin/log/LogClient.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteProof from "#src/cli/remote/RemoteProof.ts"
import * as LogProgress from "./LogProgress.ts"
import * as ReadOnlyLog from "./ReadOnlyLog.ts"

const anchorText = /^([^:]+):([A-Za-z0-9_-]{43})$/

const parseAnchor = (text: string): Option.Option<Anchor> => {
  const [, position = "", digest = ""] = anchorText.exec(text) ?? []
  return GlobalPosition.GlobalPosition.makeOption(position).pipe(
    Option.map((position) => ({ source: "--expect", position, digest }))
  )
}

const expect = Flag.String("expect").pipe(
  Flag.withMetavar("position:digest"),
  Flag.withDescription("An anchor printed by 'log stats'; repeatable"),
  Flag.filterMap(parseAnchor, () => "Expected <position>:<digest>, as printed by 'inferlog log stats'"),
  Flag.atLeast(0)
)

interface Flags {
  readonly expect: ReadonlyArray<Anchor>
  readonly json: boolean
}

const here = Effect.fnUntraced(
  function* ({ expect, json }: Flags) {
    const directory = yield* DataDirectory
    if ((yield* ChosenLog.headAnchors(directory)).length === 0 && expect.length === 0) {
      yield* Effect.logWarning(
        "log.head is missing and --expect is not given: missing events at the end of the log would go unnoticed"
      )
    }
    const end = yield* (yield* EventReader).head
    const progress = yield* LogProgress.make({ after: GlobalPosition.beginning, end })
    const verified = yield* ChosenLog.verifyAll(directory, {
      anchors: expect,
      onProgress: (_, position) => progress.report(position)
    }).pipe(Effect.ensuring(progress.clear))
    if (json) return yield* Output.printJson({ ok: true, ...verified })
    const { digest, erasedPayloads, events, payloads, position } = verified
    yield* Console.log(
      `The log is intact: ${Output.count(events)} events, ${Output.count(payloads)} payloads ` +
        `and ${Output.count(erasedPayloads)} erased ones.`
    )
    if (events > 0) yield* Console.log(`Anchor: ${position}:${digest}`)
  },
  // Without --json, the error line reports the break.
  (effect, { json }) =>
    Effect.tapError(effect, (error) =>
      json
        ? Output.printJson({
            ok: false,
            position: "position" in error ? error.position : null,
            reason: "reason" in error ? error.reason : error.message
          })
        : Effect.void
    ),
  Effect.provide(ReadOnlyLog.layer)
)

const callOf = ({ expect, json }: Flags): Call => ({
  path: "/log/verify",
  params: {
    expect: expect.map(({ digest, position }) => `${position}:${digest}`),
    format: RemoteProof.formatOf(json)
  }
})

export const verify = Command.make("verify", { expect, json: Output.json }, (flags) =>
  RemoteProof.orElsewhere(callOf(flags), here(flags))
).pipe(
  Remote.administers,
  Command.withDescription(
    "Hash every event and payload, and compare with the chain, log.head and --expect. Exits with 1 and reports the first " +
      "break if the log was changed. Works while a server runs"
  ),
  Command.withShortDescription("Prove that the log is unchanged"),
  Command.withExamples([
    { command: "inferlog log verify" },
    {
      command: "inferlog log verify --expect 1200:0c2…",
      description: "Compare with an anchor that is stored elsewhere"
    }
  ])
)
