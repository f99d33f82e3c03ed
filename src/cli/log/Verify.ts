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
import * as Checkpoints from "#src/platform/checkpoints/Checkpoints.ts"
import * as Checkpointing from "./Checkpointing.ts"
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

/** The newest checkpoint that is not after an anchor to compare with. */
const chosen = Effect.fnUntraced(function* (
  found: ReadonlyArray<Checkpoints.Found>,
  expect: ReadonlyArray<Anchor>
) {
  const from = found.find(({ facts }) =>
    expect.every(({ position }) => GlobalPosition.isReached(facts.position, position))
  )
  if (from === undefined) {
    const before = found.length > 0 ? " before the position of --expect" : ""
    yield* Checkpointing.warnOfWhole(`there is no usable checkpoint${before}`)
  }
  return from ?? null
})

interface Flags extends Checkpointing.Choice {
  readonly expect: ReadonlyArray<Anchor>
  readonly json: boolean
}

const here = Effect.fnUntraced(
  function* ({ expect, json, ...choice }: Flags) {
    const directory = yield* DataDirectory
    if ((yield* ChosenLog.headAnchors(directory)).length === 0 && expect.length === 0) {
      yield* Effect.logWarning(
        "log.head is missing and --expect is not given: missing events at the end of the log would go unnoticed"
      )
    }
    const { found, place } = yield* Checkpointing.load(choice)
    const from = choice.incremental ? yield* chosen(found, expect) : null
    const start = Checkpoints.startOf(found, from)
    const end = yield* (yield* EventReader).head
    const after = from?.facts.position ?? GlobalPosition.beginning
    const progress = yield* LogProgress.make({ after, end })
    const verified = yield* ChosenLog.verifyAll(directory, {
      ...start,
      anchors: [...expect, ...start.anchors],
      onProgress: (_, position) => progress.report(position)
    }).pipe(Effect.ensuring(progress.clear))
    const checkpoint = yield* Checkpointing.leave(place, { kind: "verify", from, verified, state: null })
    const { digest, erasedPayloads, events, hash, payloads, position } = verified
    if (json) {
      const counts = { events, payloads, erasedPayloads, position, digest }
      return yield* Output.printJson({ ok: true, ...counts, since: Checkpointing.sinceOf(from), checkpoint })
    }
    yield* Console.log(
      `The log is intact: ${Output.count(events)} events, ${Output.count(payloads)} payloads ` +
        `and ${Output.count(erasedPayloads)} erased ones.`
    )
    if (hash === "") return
    yield* Console.log(`Anchor: ${position}:${digest}`)
    yield* Console.log(Checkpointing.textOf(place, from, checkpoint).join("\n"))
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

const callOf = ({ expect, incremental, json }: Flags): Call => ({
  path: "/log/verify",
  params: {
    expect: expect.map(({ digest, position }) => `${position}:${digest}`),
    ...Checkpointing.paramOf(incremental),
    format: RemoteProof.formatOf(json)
  }
})

export const verify = Command.make(
  "verify",
  { expect, ...Checkpointing.flags, json: Output.json },
  Effect.fnUntraced(function* (flags) {
    yield* Checkpointing.checkElsewhere(flags)
    yield* RemoteProof.orElsewhere(callOf(flags), here(flags))
  })
).pipe(
  Remote.administers,
  Command.withDescription(
    "Hash every event and payload, and compare with the chain, log.head, --expect and signed checkpoints. Exits with 1 and " +
      "reports the first break if the log was changed. Leaves a checkpoint, at which --incremental begins. Works while a " +
      "server runs"
  ),
  Command.withShortDescription("Prove that the log is unchanged"),
  Command.withExamples([
    { command: "inferlog log verify" },
    { command: "inferlog log verify --incremental", description: "Verify what is new since the last proof" },
    {
      command: "inferlog log verify --expect 1200:0c2…",
      description: "Compare with an anchor that is stored elsewhere"
    }
  ])
)
