/** Erasing texts from JetStream: also after a crash between the append and the removal, and down to the server's disk. */
import * as fs from "node:fs"
import * as path from "node:path"
import { jetstream } from "@nats-io/jetstream"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as Erasures from "#streams/nats/Erasures.ts"
import * as MessageReads from "#streams/nats/MessageReads.ts"
import { Nats } from "#streams/nats/Nats.ts"
import * as PayloadRecords from "#streams/nats/PayloadRecords.ts"
import * as Subjects from "#streams/nats/Subjects.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import { eventData, inlinePayload } from "#test/support/EventFixtures.ts"
import { freePort } from "#test/support/ServerProcess.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsProcess from "#test/support/servers/NatsProcess.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"

const stream = (id: string) => StreamName.make("Thing", id)

const tombstone = eventData("gone", Tombstone.type, { erased: ["input"] })

const bring = (store: EventStore["Service"], id: string, text: string) =>
  store.append({
    stream: stream(id),
    expected: ExpectedVersion.NoStream,
    events: [eventData(`${id}-made`)],
    payloads: [inlinePayload("input", text), inlinePayload("output", "kept")]
  })

/** The names of files that contain the text. */
const filesWith = (directory: string, text: string) =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => fs.statSync(path.join(directory, name)).isFile())
    .filter((name) => fs.readFileSync(path.join(directory, name)).includes(text))

describe.skipIf(NatsBinary.isMissing).concurrent(NatsBinary.named("Erasing on JetStream"), () => {
  it.effect("is finished by any node after a crash, unless the log does not record it", () =>
    Effect.gen(function* () {
      const server = yield* NatsServer.make({ syncInterval: "2m" })
      const options = NatsLog.options(server.url)
      const store = Context.get(yield* NatsLog.openNode(options), EventStore)
      yield* bring(store, "erased", "1")
      yield* bring(store, "never", "2")
      // The state left by a node that had stored both notes and died before one removal and before the other append.
      const subjects = Subjects.make(options)
      yield* Effect.promise(() =>
        NatsConnection.briefly([server.url], async (connection) => {
          for (const id of ["never", "erased"]) {
            await jetstream(connection).publish(subjects.erasure(stream(id)), '["input"]')
          }
          await jetstream(connection).publish(subjects.erasure(stream("none")), "no note")
        })
      )
      yield* store.append({ stream: stream("erased"), expected: ExpectedVersion.Any, events: [tombstone] })

      const repaired = Effect.gen(function* () {
        const records = yield* PayloadRecords.make
        const { repair } = yield* Erasures.make(yield* MessageReads.make, records)
        yield* repair
        assert.isNotNull(yield* store.payload(stream("erased"), "input"))
        yield* TestClock.adjust("3 minutes")
        yield* repair
      })
      yield* Effect.provide(repaired, Nats.layer(options).pipe(Layer.fresh))
      assert.isNull(yield* store.payload(stream("erased"), "input"))
      assert.isNotNull(yield* store.payload(stream("erased"), "output"))
      assert.isNotNull(yield* store.payload(stream("never"), "input"))
    }).pipe(Effect.scoped)
  )

  it.live("leaves none of its bytes on the server's disk", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const port = yield* Effect.promise(freePort)
      const ready = (url: string) => NatsConnection.briefly([url], (connection) => connection.flush())
      const server = yield* NatsProcess.make({ name: "n1", port, directory, ready })
      const store = Context.get(yield* NatsLog.openNode(NatsLog.options(server.url)), EventStore)
      const secret = "a text that is to be gone"
      yield* bring(store, "erased", secret)
      yield* bring(store, "beside", "another text")
      assert.isNotEmpty(filesWith(directory, secret))
      yield* store.append({
        stream: stream("erased"),
        expected: ExpectedVersion.Any,
        events: [tombstone],
        erases: ["input"]
      })
      assert.deepStrictEqual(filesWith(directory, secret), [])
      yield* server.kill
      yield* server.restart
      assert.deepStrictEqual(filesWith(directory, secret), [])
      const read = Effect.retry(store.payload(stream("beside"), "input"), Schedule.spaced("20 millis"))
      assert.deepStrictEqual(yield* read, inlinePayload("input", "another text"))
      assert.isNull(yield* store.payload(stream("erased"), "input"))
    }).pipe(Effect.scoped)
  )
})
