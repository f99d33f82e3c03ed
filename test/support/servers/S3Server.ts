/** A real S3 server on loopback that verifies signatures and stores objects in memory. */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import { once } from "node:events"
import * as os from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { Effect, type Scope } from "effect"
import { freePort } from "../ServerProcess.ts"

export interface S3Server {
  readonly port: number
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Stops it and waits until it has ended. */
  readonly kill: Effect.Effect<void>
}

/** The environment with its credentials, where S3 clients find them. */
export const credentials = { AWS_ACCESS_KEY_ID: "testaccess", AWS_SECRET_ACCESS_KEY: "testsecret" }

const script = path.join(import.meta.dirname, "s3-server.sh")

const urlAt = (port: number): string => `http://127.0.0.1:${port}`

export const begin = async (): Promise<S3Server> => {
  const [port, ...monitors] = await Promise.all([freePort(), freePort(), freePort()])
  const directory = path.join(os.tmpdir(), `inferlog-s3-${crypto.randomUUID()}`)
  const child = childProcess.spawn(script, [directory, ...[port, ...monitors].map(String)])
  const ended = once(child, "close")
  const lines: Array<string> = []
  readline.createInterface({ input: child.stderr }).on("line", (line) => lines.push(line))
  const [said] = await Promise.race([
    once(readline.createInterface({ input: child.stdout }), "line"),
    ended.then(() => ["nothing"])
  ])
  if (said !== "ready") throw new Error(`The S3 server ended before it was ready:\n${lines.join("\n")}`)
  // It ends with its standard input, and so with this process; it does not keep this process running.
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) unref(stream)
  const kill = Effect.promise(() => {
    child.ref()
    child.stdin.end()
    return ended.then(() => {})
  })
  return { port, url: urlAt(port), kill }
}

/** Node represents the pipes of processes as sockets. */
const unref = (stream: object) => {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref()
}

/** A separate server, removed with the scope, for tests that kill it. */
export const make: Effect.Effect<S3Server, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(begin),
  ({ kill }) => kill
)

let started: Promise<S3Server> | undefined

/** The variable with the port of the server that all processes of a run share (`SharedS3`). */
export const portVariable = "TEST_S3_PORT"

const found = (port: number): S3Server => ({
  port,
  url: urlAt(port),
  kill: Effect.die(new Error("Others use the server too: make one to kill"))
})

/** One server for all tests of this run, or else of this process. */
export const shared: Effect.Effect<S3Server> = Effect.promise(() => {
  const port = process.env[portVariable]
  return port === undefined ? (started ??= begin()) : Promise.resolve(found(Number(port)))
})

/** A client for the tests' own calls. */
export const clientOf = ({ url }: S3Server): Effect.Effect<S3Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new S3Client({
          endpoint: url,
          region: "us-east-1",
          forcePathStyle: true,
          requestChecksumCalculation: "WHEN_REQUIRED",
          credentials: {
            accessKeyId: credentials.AWS_ACCESS_KEY_ID,
            secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY
          }
        })
    ),
    (client) => Effect.sync(() => client.destroy())
  )

let buckets = 0

/** Distinguishes this process from others that share the server. */
const own = crypto.randomBytes(5).toString("hex")

/** Creates an empty bucket and returns its name. */
export const newBucket = (server: S3Server): Effect.Effect<string> =>
  Effect.gen(function* () {
    const client = yield* clientOf(server)
    const name = `b-${own}-${++buckets}`
    yield* Effect.promise(() => client.send(new CreateBucketCommand({ Bucket: name })))
    return name
  }).pipe(Effect.scoped)

/** The value of `BLOB_STORE` for a bucket. */
export const blobStore = ({ url }: S3Server, bucket: string): string => `s3://${bucket}?endpoint=${url}`
