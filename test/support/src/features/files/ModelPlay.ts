/** Plays a script on a node and compares the results with the model. */
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { LibraryFile } from "#src/features/files/AssetLibrary.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as Library from "./Library.ts"
import * as Model from "./Model.ts"
import type { Client, Command } from "./ModelScript.ts"

/** A file, or its upload in parts, as its client knows it. */
interface Held extends Model.Known {
  readonly id: Library.Upload["id"]
  readonly putUrl: string | null
  readonly upload: Library.Upload | null
  /** By number. */
  readonly etags: Map<number, string>
}

const outcome = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "ok", onFailure: ({ _tag }) => _tag })

const seen = ({ createdAt, expiresAt, size, status }: LibraryFile) => ({ status, size, createdAt, expiresAt })

/** Uses separate accounts. Throws on a difference to the model. */
export const play = Effect.fnUntraced(function* (serial: number, script: ReadonlyArray<Command>) {
  const faults = yield* AppendFaults
  const held: Array<Held> = []
  const armed: Array<Model.Armed> = []
  const callers: Readonly<Record<Client, Caller>> = {
    alice: Facts.caller(`acc_alice-${serial}`),
    bob: Facts.caller(`acc_bob-${serial}`)
  }

  const arm = (next: ReadonlyArray<Model.Armed>) => {
    const left = [...next]
    faults.decide(({ events }) => {
      const index = left.findIndex((fault) => events.some(({ type }) => type === fault.type))
      const [fault] = index < 0 ? [] : left.splice(index, 1)
      return fault?.fate ?? "stored"
    })
  }

  const named = (file: Held, client: Client): Library.Upload => ({
    id: file.id,
    fileUrl: `https://media.test/media/${file.id}/x`,
    named: {
      caller: callers[client],
      uploadKey: file.id,
      uploadId: file.upload?.named.uploadId ?? "none"
    }
  })

  const initiate = Effect.fnUntraced(function* (about: Extract<Command, { readonly _tag: "Initiate" }>) {
    const { client, isMultipart, size } = about
    const options = { caller: callers[client], size }
    const at = yield* Clock.currentTimeMillis
    const known = Model.announced(at, { client, isMultipart, size })
    if (isMultipart) {
      const upload = yield* Library.initiateMultipart(options)
      held.push({ ...known, id: upload.id, putUrl: null, upload, etags: new Map() })
    } else {
      const { id, uploadUrl } = yield* Library.initiate(options)
      held.push({ ...known, id, putUrl: uploadUrl, upload: null, etags: new Map() })
    }
  })

  const checkList = Effect.fnUntraced(function* (client: Client, now: number) {
    const { items, total } = yield* Library.list({ caller: callers[client] })
    const own = held.filter((file) => file.client === client && file.status !== "gone")
    assert.strictEqual(total, own.length, "total")
    const expected = own
      .filter((file) => !Model.isOver(file, now))
      .sort((a, b) => b.announcedAt - a.announcedAt || (a.id < b.id ? 1 : -1))
    assert.deepStrictEqual(
      items.map((item) => [item.fileId, seen(item)]),
      expected.map((file) => [file.id, Model.described(file)])
    )
  })

  const complete = Effect.fnUntraced(function* (file: Held, client: Client, isWrong: boolean) {
    const parts = [...file.etags].map(([partNumber, etag]) => ({
      partNumber,
      etag: isWrong ? etag.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) : etag
    }))
    const [first = { partNumber: 1, etag: "0".repeat(32) }, ...rest] = parts
    return yield* outcome(Library.complete(named(file, client), first, ...rest))
  })

  const putPart = Effect.fnUntraced(function* (
    file: Held,
    { client, number, text }: Extract<Command, { readonly _tag: "PutPart" }>
  ) {
    return yield* outcome(
      Effect.map(Library.putPart(named(file, client), number, text), ({ etag }) =>
        file.etags.set(number, etag)
      )
    )
  })

  /** The actual and the expected answer. */
  const told = Effect.fnUntraced(function* (command: Command, file: Held, now: number) {
    switch (command._tag) {
      case "Put": {
        if (file.putUrl === null) return []
        const result = yield* outcome(Library.put(file.putUrl, command.text))
        return [result, Model.put(file, command.text, now, armed)]
      }
      case "PutPart":
        return [
          yield* putPart(file, command),
          Model.putPart(file, command.client, command.number, command.text, now)
        ]
      case "Complete": {
        const { client, isWrong } = command
        const result = yield* complete(file, client, isWrong)
        return [result, Model.complete(file, { client, isWrong, now, armed })]
      }
      case "Delete":
        return [
          yield* outcome(Library.remove(file.id, callers[command.client])),
          Model.remove(file, command.client, armed)
        ]
      case "Get": {
        const got = yield* Effect.result(Library.get(file.id, callers[command.client]))
        if (got._tag === "Success") assert.deepStrictEqual(seen(got.success), Model.described(file))
        const result = got._tag === "Success" ? "ok" : got.failure._tag
        return [result, Model.get(file, command.client, now)]
      }
      case "Read":
        return [yield* Library.read(file.id), Model.read(file, now)]
      default:
        return []
    }
  })

  const sweep = Effect.fnUntraced(function* (fault: Model.Armed | null) {
    armed.length = 0
    arm(fault === null ? [] : [fault])
    yield* Library.sweep
    arm([])
    if (fault !== null) yield* Library.sweep
    Model.sweep(held, yield* Clock.currentTimeMillis)
  })

  const step = Effect.fnUntraced(function* (command: Command) {
    const now = yield* Clock.currentTimeMillis
    switch (command._tag) {
      case "Initiate":
        return yield* initiate(command)
      case "List":
        return yield* checkList(command.client, now)
      case "Time":
        return yield* TestClock.adjust(command.seconds * 1_000)
      case "Sweep":
        return yield* sweep(command.fault)
      case "Fault":
        armed.push({ type: command.type, fate: command.fate })
        return arm(armed)
      default: {
        const file = held[command.nth % held.length]
        if (file === undefined) return
        const [is, expected] = yield* told(command, file, now)
        assert.strictEqual(is, expected, `${command._tag} of file ${held.indexOf(file)}`)
      }
    }
  })

  for (const command of script) yield* step(command)
  yield* sweep(null)
  const now = yield* Clock.currentTimeMillis
  for (const client of ["alice", "bob"] as const) yield* checkList(client, now)
  for (const file of held) {
    assert.strictEqual(yield* Library.read(file.id), Model.read(file, now))
    if (file.status === "gone") assert.deepStrictEqual(yield* Library.blobsOf(file.id), [])
  }
})
