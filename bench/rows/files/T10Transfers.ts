/**
 * T10: speed and memory of large uploads and downloads, compared with a minimal server that streams files to disk and back.
 * `BYTES` in the environment, a multiple of 16 MiB, sets a smaller size.
 */
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"
import type { Row } from "../../harness/Subject.ts"
import * as InferlogFiles from "../../subjects/files/InferlogFiles.ts"
import * as PlainServers from "../../subjects/files/PlainServers.ts"
import * as Memory from "./Memory.ts"
import * as Transfer from "./Transfer.ts"

const fileBytes = Number(process.env["BYTES"] ?? 1024 * Transfer.MiB)
const parts = { bytes: 16 * Transfer.MiB, atOnce: 4 }

const floorName = "node:http to a file"

const ours: Transfer.MeasuredServer = { name: "inferlog", role: "ours", serve: InferlogFiles.serve() }
const oursInParts: Transfer.MeasuredServer = { ...ours, serve: InferlogFiles.serve(parts) }
export const floor: Transfer.MeasuredServer = {
  name: floorName,
  role: "floor",
  serve: PlainServers.node(floorName)
}
const nginx: Transfer.MeasuredServer = { name: "nginx", role: "peer", serve: PlainServers.nginx("nginx") }

const transfers = { id: "T10", unit: "MiB" } as const
const size = ByteSize.format(fileBytes)
const targets = { [floorName]: 0.85 }

export const rows: ReadonlyArray<Row> = [
  {
    ...transfers,
    title: `Upload of ${size}`,
    subjects: [ours, floor, nginx].map((keeper) => Transfer.upload(keeper, fileBytes)),
    targets
  },
  {
    ...transfers,
    title: `Upload of ${size} in parts of ${ByteSize.format(parts.bytes)}, ${parts.atOnce} at once`,
    subjects: [oursInParts, floor].map((keeper) => Transfer.upload(keeper, fileBytes)),
    targets: {}
  },
  {
    ...transfers,
    title: `Download of ${size}`,
    subjects: [ours, floor, nginx].map((keeper) => Transfer.download(keeper, fileBytes)),
    targets
  },
  {
    ...transfers,
    title: `Memory at ${ByteSize.format(5 * fileBytes)}, up and down`,
    subjects: [ours, floor].map((keeper) => Memory.subject(keeper, 5 * fileBytes)),
    targets: {}
  }
]
