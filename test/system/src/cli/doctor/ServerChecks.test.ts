/** The checks of NATS, S3, names, certificates and the clock, with real servers. */
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Addresses from "#src/cli/doctor/checks/Addresses.ts"
import * as Clocks from "#src/cli/doctor/checks/Clocks.ts"
import * as NatsServers from "#src/cli/doctor/checks/NatsServers.ts"
import * as S3Rights from "#src/cli/doctor/checks/S3Rights.ts"
import * as Environment from "#test/support/Environment.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsProcess from "#test/support/servers/NatsProcess.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import { freePort } from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Doctor from "#test/support/src/cli/doctor/Doctor.ts"

const nats = (EVENT_STORE: string) =>
  Effect.gen(function* () {
    const DATA_DIR = path.join(yield* TempDirectory.make, "data")
    return yield* Doctor.check(NatsServers.check, { EVENT_STORE, DATA_DIR })
  })

const withoutJetStream = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const port = yield* Effect.promise(freePort)
  const ready = (url: string) => NatsConnection.briefly([url], (connection) => connection.flush())
  return yield* NatsProcess.make({ name: "n1", port, directory, configuration: "jetstream: disabled", ready })
})

describe("doctor tries NATS once, and", () => {
  it.live("reports a server that is away, at once and without the password", () =>
    Effect.gen(function* () {
      const found = yield* nats(`nats://me:hunter2@127.0.0.1:${yield* Effect.promise(freePort)}`)
      assert.include(found, { outcome: "failed" })
      assert.notInclude(JSON.stringify(found), "hunter2")
    }).pipe(Effect.scoped)
  )

  describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("with a NATS server"), () => {
    it.live("reports a missing JetStream", () =>
      Effect.gen(function* () {
        const { url } = yield* withoutJetStream
        const found = yield* nats(url)
        assert.include(found, { outcome: "failed" })
        assert.match(found.detail, /jetstream/i)
      }).pipe(Effect.scoped)
    )

    it.live("accepts one with JetStream, and warns of one replica without sync", () =>
      Effect.gen(function* () {
        const { url } = yield* NatsServer.make()
        assert.include(yield* nats(`${url}?sync=always`), { outcome: "ok" })
        const unsynced = yield* nats(url)
        assert.include(unsynced, { outcome: "warning" })
        assert.include(unsynced.remedy, "replicas=3")
      }).pipe(Effect.scoped)
    )
  })
})

/** The credentials of this process, where the SDK finds them, until the scope ends. */
const credentials = (given: typeof S3Server.credentials) => Environment.use(given)

describe("doctor tries the rights at S3, and", () => {
  it.live("finds all of them, and removes its object", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.shared
      const bucket = yield* S3Server.newBucket(server)
      yield* credentials(S3Server.credentials)
      const BLOB_STORE = S3Server.blobStore(server, bucket)
      assert.include(yield* Doctor.check(S3Rights.check, { BLOB_STORE }), { outcome: "ok" })
      const publicEndpoint = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
      const apart = { BLOB_STORE: `${BLOB_STORE}&publicEndpoint=${publicEndpoint}` }
      const unreachable = yield* Doctor.check(S3Rights.check, apart)
      assert.include(unreachable, { outcome: "warning" })
      assert.include(unreachable.remedy, "publicEndpoint")
      const client = yield* S3Server.clientOf(server)
      const { ListObjectsV2Command } = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
      const left = yield* Effect.promise(() => client.send(new ListObjectsV2Command({ Bucket: bucket })))
      assert.strictEqual(left.KeyCount, 0)
    }).pipe(Effect.scoped)
  )

  it.live("reports a wrong key and a missing bucket", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.shared
      const missing = { BLOB_STORE: S3Server.blobStore(server, "none-such") }
      yield* credentials(S3Server.credentials)
      const none = yield* Doctor.check(S3Rights.check, missing)
      assert.include(none, { outcome: "failed" })
      assert.match(none.detail, /the bucket does not exist$/)
      yield* credentials({ ...S3Server.credentials, AWS_SECRET_ACCESS_KEY: "hunter2" })
      const wrong = yield* Doctor.check(S3Rights.check, missing)
      assert.include(wrong, { outcome: "failed" })
      assert.include(wrong.remedy, "AWS_ACCESS_KEY_ID")
      assert.notInclude(JSON.stringify(wrong), "hunter2")
    }).pipe(Effect.scoped)
  )
})

describe("doctor looks at addresses, and", () => {
  it.live("reports a certificate of an unknown authority, and a name that is not there", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.https((_, response) => response.end())
      const BASE_URL = `https://127.0.0.1:${port}`
      const unknown = yield* Doctor.check(Addresses.check, { BASE_URL })
      assert.include(unknown, { outcome: "failed" })
      assert.match(unknown.detail, /^BASE_URL: 127\.0\.0\.1:\d+: its certificate is not accepted: [A-Z_]+$/)
      assert.include(unknown.remedy, "NODE_EXTRA_CA_CERTS")
      const QUEUE_URL = "https://missing.invalid"
      const missing = yield* Doctor.check(Addresses.check, { BASE_URL, QUEUE_URL })
      assert.match(missing.detail, /QUEUE_URL: missing\.invalid:443 has no address: E[A-Z_]+/)
    }).pipe(Effect.scoped)
  )

  it.live("warns of a place that does not answer, and accepts one that does", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.http((_, response) => response.end())
      const answers = { BASE_URL: `http://127.0.0.1:${port}`, QUEUE_URL: `http://127.0.0.1:${port}` }
      const found = yield* Doctor.check(Addresses.check, answers)
      assert.include(found, { outcome: "ok", detail: `QUEUE_URL, BASE_URL: 127.0.0.1:${port} answers` })
      const MEDIA_URL = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
      const away = yield* Doctor.check(Addresses.check, { ...answers, MEDIA_URL })
      assert.include(away, { outcome: "warning" })
      assert.match(away.detail, /^MEDIA_URL: 127\.0\.0\.1:\d+ does not answer this machine: ECONNREFUSED$/)
    }).pipe(Effect.scoped)
  )
})

describe("doctor compares the clock with that of S3, and", () => {
  it.live.each([
    [0, "ok"],
    [60, "warning"],
    [-900, "failed"]
  ] as const)("of one that is %d s ahead says: %s", ([seconds, outcome]) =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.http((_, response) => {
        response.setHeader("Date", new Date(Date.now() + seconds * 1_000).toUTCString())
        response.writeHead(403).end()
      })
      const DATA_DIR = yield* TempDirectory.make
      const BLOB_STORE = `s3://bucket?endpoint=http://127.0.0.1:${port}`
      const found = yield* Doctor.check(Clocks.check, { DATA_DIR, BLOB_STORE })
      assert.strictEqual(found.outcome, outcome)
    }).pipe(Effect.scoped)
  )
})
