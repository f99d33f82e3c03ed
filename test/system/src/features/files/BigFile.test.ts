/** A file far larger than the allowed memory. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { pipeline } from "node:stream/promises"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl } from "#test/support/src/features/files/upload-flows/Curl.ts"
import * as StorePlace from "#test/support/src/features/files/upload-flows/StorePlace.ts"
import { start, UploadServer } from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const { env } = process
const bytes = Number(env["BYTES"] ?? (env["CI"] === undefined ? 1024 : 256) * Calls.MiB)
const mostGrowth = 64 * Calls.MiB

/** Random bytes that repeat at odd offsets, and their SHA-256. */
const writeBig = (file: string): string => {
  const block = crypto.randomBytes(8 * Calls.MiB - 13)
  const hash = crypto.createHash("sha256")
  const descriptor = fs.openSync(file, "w")
  for (let left = bytes; left > 0; left -= block.length) {
    const piece = block.subarray(0, left)
    fs.writeSync(descriptor, piece)
    hash.update(piece)
  }
  fs.closeSync(descriptor)
  return hash.digest("hex")
}

const sha256Of = Effect.fnUntraced(function* (file: string) {
  const hash = crypto.createHash("sha256")
  yield* Effect.promise(() => pipeline(fs.createReadStream(file), hash))
  return hash.digest("hex")
})

const residentBytes = (pid: number, field: "VmRSS" | "VmHWM"): number => {
  const [, kiB] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(fs.readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kiB) * 1024
}

/** The most by which the process grows meanwhile, bytes. */
const growthDuring = <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    // Resets the peak (proc_pid_clear_refs(5)).
    fs.writeFileSync(`/proc/${pid}/clear_refs`, "5")
    const before = residentBytes(pid, "VmRSS")
    const value = yield* effect
    return { value, growth: residentBytes(pid, "VmHWM") - before }
  })

const onDisk = Layer.effect(UploadServer, Effect.flatMap(StorePlace.make("disk"), start))

describe.skipIf(process.platform !== "linux")("a big file (needs Linux, which reports resident memory)", () =>
  layer(onDisk, { excludeTestServices: true, timeout: 60_000 })((it) => {
    it.effect(
      "is uploaded and downloaded whole by curl, and the server grows by less than 64 MiB",
      () =>
        Effect.gen(function* () {
          const { place, process: server } = yield* UploadServer
          const big = path.join(place.dataDirectory, "big")
          const copy = path.join(place.dataDirectory, "copy")
          const sha256 = writeBig(big)
          const announced = { file_name: "big.bin", content_type: "application/octet-stream", size: bytes }
          const { file_url, upload_url } = yield* Calls.initiate(announced)
          const put = curl(
            "--header",
            `Content-Type: ${announced.content_type}`,
            "--upload-file",
            big,
            upload_url
          )
          const up = yield* growthDuring(server.pid, put)
          assert.strictEqual(up.value.status, 200)
          const got = yield* growthDuring(
            server.pid,
            curl("--write-out", "HTTP/1.1 %{http_code} \r\n\r\n", "--no-include", "--output", copy, file_url)
          )
          assert.strictEqual(got.value.status, 200)
          assert.strictEqual(yield* sha256Of(copy), sha256)
          const listed = Calls.jsonOf(yield* Calls.get(`/files/${Calls.idOf(file_url)}`))
          assert.deepInclude(listed, { size: bytes, checksums: { sha256 } })
          const MiBs = [up, got].map(({ growth }) => Math.round(growth / Calls.MiB))
          process.stdout.write(`${bytes / Calls.MiB} MiB: grown by ${MiBs.join(" and ")} MiB\n`)
          assert.isBelow(up.growth, mostGrowth)
          assert.isBelow(got.growth, mostGrowth)
        }),
      240_000
    )
  })
)
