/**
 * One stored file, from its announcement to the removal of its bytes (contract, "Uploads"; architecture, "Aggregates"). Its
 * content never changes, unless a client replaces it directly in an external store.
 */
import { Result } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import type { Command, Rejection } from "./Command.ts"
import { codec, type Event, type Stored } from "./Event.ts"
import { evolve, initial, type Present, type State } from "./State.ts"

/** The payload with the client's name of the file. */
export const namePayload = "name"

type Decided = Result.Result<ReadonlyArray<Event>, Rejection>

const nothing: Decided = Result.succeed([])

const decide = (command: Command, state: State): Decided => {
  switch (command._tag) {
    case "InitiateUpload":
      return initiate(command, state)
    case "CompleteUpload":
    case "ObserveUpload":
      return receive(command, state)
    case "StoreOutput":
      return storeOutput(command, state)
    case "Delete":
      return state._tag === "Gone"
        ? nothing
        : Result.succeed([
            { _tag: "FileDeleted", at: command.at, reason: command.reason },
            ...eraseName(command.at, state)
          ])
    case "Expire":
      return isOver(state, command.at)
        ? Result.succeed([{ _tag: "FileExpired", at: command.at }, ...eraseName(command.at, state)])
        : nothing
    case "RecordRemoved":
      return state._tag === "Gone" && !state.isRemoved
        ? Result.succeed([{ _tag: "BytesRemoved", at: command.at }])
        : nothing
  }
}

const initiate = (
  { upload }: Extract<Command, { readonly _tag: "InitiateUpload" }>,
  state: State
): Decided => {
  switch (state._tag) {
    case "None":
      return Result.succeed([{ _tag: "UploadInitiated", ...upload }])
    case "Gone":
      return Result.fail({ _tag: "FileGone" })
    case "Pending":
      return nothing
    case "Present":
      return isUpload(state) ? nothing : Result.fail({ _tag: "AlreadyUploaded" })
  }
}

const storeOutput = (
  { output }: Extract<Command, { readonly _tag: "StoreOutput" }>,
  state: State
): Decided => {
  switch (state._tag) {
    case "None":
      return Result.succeed([{ _tag: "OutputStored", ...output }])
    case "Gone":
      return Result.fail({ _tag: "FileGone" })
    case "Pending":
      return Result.fail({ _tag: "AlreadyUploaded" })
    case "Present":
      // The upload's name must be erased with the upload, so the state must not lose it.
      if (isUpload(state)) return Result.fail({ _tag: "AlreadyUploaded" })
      return isSame(state.stored, output.stored)
        ? nothing
        : Result.succeed([{ _tag: "OutputStored", ...output }])
  }
}

const receive = (
  command: Extract<Command, { readonly _tag: "CompleteUpload" | "ObserveUpload" }>,
  state: State
): Decided => {
  const { at, expiresAt, stored } = command
  switch (state._tag) {
    case "None":
      return Result.fail({ _tag: "FileNotFound" })
    case "Gone":
      return Result.fail({ _tag: "FileGone" })
    case "Pending":
      return Result.succeed([{ _tag: "UploadCompleted", at, stored, expiresAt }])
    case "Present":
      if (isSame(state.stored, stored)) return nothing
      return command._tag === "ObserveUpload" && isUpload(state)
        ? Result.succeed([{ _tag: "UploadReplaced", at, stored }])
        : Result.fail({ _tag: "AlreadyUploaded" })
  }
}

/** Compares what every store reports. */
const isSame = (a: Stored, b: Stored): boolean => a.etag === b.etag && a.size === b.size

const isUpload = ({ origin }: Present): boolean => origin._tag === "UploadInitiated"

/** Whether the file or its upload has expired at `at`, Unix time in ms. */
export const isOver = (state: State, at: number): boolean => {
  if (state._tag === "Pending") return state.upload.expiresAt <= at
  return state._tag === "Present" && state.expiresAt <= at
}

const eraseName = (at: number, state: State): ReadonlyArray<Event> => {
  const isNamed = state._tag === "Pending" || (state._tag === "Present" && isUpload(state))
  return isNamed ? [{ _tag: "PayloadsErased", at, erased: [namePayload] }] : []
}

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "File",
  codec,
  decider: { initial, decide, evolve }
}
