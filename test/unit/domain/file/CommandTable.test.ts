/** A table of the result of every command in every phase. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Command, Rejection } from "#domain/file/Command.ts"
import type { Event } from "#domain/file/Event.ts"
import * as File from "#domain/file/File.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/file/Phases.ts"
import * as Story from "#test/support/domain/file/Story.ts"

/** Before any file expires, and after all other events. */
const at = 4_999
const late = 10_000

const commands = {
  Initiate: Story.initiate(),
  InitiateInParts: Story.initiate(Story.uploadInParts),
  Complete: Story.complete(at),
  CompleteWithOthers: Story.complete(at, Story.bytes.longer),
  Observe: Story.observe(at),
  ObserveOthers: Story.observe(at, Story.bytes.longer),
  Store: Story.store(),
  StoreOthers: Story.store({ ...Story.output, at, stored: Story.bytes.longer }),
  Delete: Story.remove(at),
  DeleteWithRequest: Story.remove(at, "request_erased"),
  DeleteWithAccount: Story.remove(at, "account_erased"),
  Discard: Story.remove(at, "discarded"),
  ExpireTooEarly: Story.expire(at),
  Expire: Story.expire(late),
  RecordRemoved: Story.recordRemoved(late)
} as const satisfies Record<string, Command>

type Answer = ReadonlyArray<Event["_tag"]> | Rejection["_tag"]
type Row = Record<keyof typeof commands, Answer>

const deleting = (answer: Answer) => ({
  Delete: answer,
  DeleteWithRequest: answer,
  DeleteWithAccount: answer,
  Discard: answer
})

const never: Row = {
  Initiate: ["UploadInitiated"],
  InitiateInParts: ["UploadInitiated"],
  Complete: "FileNotFound",
  CompleteWithOthers: "FileNotFound",
  Observe: "FileNotFound",
  ObserveOthers: "FileNotFound",
  Store: ["OutputStored"],
  StoreOthers: ["OutputStored"],
  ...deleting(["FileDeleted"]),
  ExpireTooEarly: [],
  Expire: [],
  RecordRemoved: []
}

const pending: Row = {
  Initiate: [],
  InitiateInParts: [],
  Complete: ["UploadCompleted"],
  CompleteWithOthers: ["UploadCompleted"],
  Observe: ["UploadCompleted"],
  ObserveOthers: ["UploadCompleted"],
  Store: "AlreadyUploaded",
  StoreOthers: "AlreadyUploaded",
  ...deleting(["FileDeleted", "PayloadsErased"]),
  ExpireTooEarly: [],
  Expire: ["FileExpired", "PayloadsErased"],
  RecordRemoved: []
}

const uploaded: Row = {
  ...pending,
  Complete: [],
  CompleteWithOthers: "AlreadyUploaded",
  Observe: [],
  ObserveOthers: ["UploadReplaced"]
}

/** With other bytes than those in the commands. */
const uploadedOthers: Row = { ...uploaded, Complete: "AlreadyUploaded", Observe: ["UploadReplaced"] }

const output: Row = {
  Initiate: "AlreadyUploaded",
  InitiateInParts: "AlreadyUploaded",
  Complete: [],
  CompleteWithOthers: "AlreadyUploaded",
  Observe: [],
  ObserveOthers: "AlreadyUploaded",
  Store: [],
  StoreOthers: ["OutputStored"],
  ...deleting(["FileDeleted"]),
  ExpireTooEarly: [],
  Expire: ["FileExpired"],
  RecordRemoved: []
}

const gone: Row = {
  Initiate: "FileGone",
  InitiateInParts: "FileGone",
  Complete: "FileGone",
  CompleteWithOthers: "FileGone",
  Observe: "FileGone",
  ObserveOthers: "FileGone",
  Store: "FileGone",
  StoreOthers: "FileGone",
  ...deleting([]),
  ExpireTooEarly: [],
  Expire: [],
  RecordRemoved: ["BytesRemoved"]
}

const removed: Row = { ...gone, RecordRemoved: [] }

const table: Record<Phases.Phase, Row> = {
  "never there": never,
  pending,
  "pending in parts": pending,
  uploaded,
  "uploaded in parts": uploadedOthers,
  "uploaded, then replaced": uploadedOthers,
  output,
  thumbnail: output,
  "output, stored again": {
    ...output,
    Complete: "AlreadyUploaded",
    Observe: "AlreadyUploaded",
    Store: ["OutputStored"]
  },
  "deleted before it was there": gone,
  "deleted while pending": gone,
  "deleted upload": gone,
  "deleted output": gone,
  "expired while pending": gone,
  "expired upload": gone,
  "expired output": gone,
  "removed before it was there": removed,
  "removed upload": removed,
  "removed output": removed
}

const rows = Object.entries(table) as ReadonlyArray<[Phases.Phase, Row]>
const columns = Object.keys(commands) as ReadonlyArray<keyof typeof commands>

describe("Commands to a file", () => {
  for (const [phase, row] of rows) {
    it(`lead to the results in the table: ${phase}`, () => {
      for (const name of columns) {
        const then = given(File.aggregate, Phases.all[phase]).when(commands[name])
        const answer = row[name]
        if (typeof answer === "string") then.expectRejection(answer)
        else then.expectTypes(...answer)
      }
    })
  }

  it("change nothing when repeated", () => {
    const { decide } = File.aggregate.decider
    for (const [phase] of rows) {
      for (const name of columns) {
        const { state } = given(File.aggregate, Phases.all[phase]).when(commands[name])
        const again = Result.getOrElse(decide(commands[name], state), () => [])
        assert.deepStrictEqual(again, [], `${name}: ${phase}`)
      }
    }
  })
})
