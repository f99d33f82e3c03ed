import type { AccountId, RequestId } from "../Ids.ts"
import type { Event, OutputStored, Stored, UploadInitiated } from "./Event.ts"

export type State = { readonly _tag: "None" } | Pending | Present | Gone

/** Nothing can be read yet. */
export interface Pending {
  readonly _tag: "Pending"
  readonly upload: UploadInitiated
}

export interface Present {
  readonly _tag: "Present"
  readonly origin: UploadInitiated | OutputStored
  readonly stored: Stored
  /** Unix time in ms, like all times here. */
  readonly storedAt: number
  readonly expiresAt: number
}

/**
 * Nothing can be read any more.
 *
 * @public Declarations of other modules name it.
 */
export interface Gone {
  readonly _tag: "Gone"
  /** The owner. `null` when the file was deleted before it existed. */
  readonly accountId: AccountId | null
  /** When it was announced or stored, its place in lists. `null` when the file was deleted before it existed. */
  readonly createdAt: number | null
  /** The id of an upload in parts, which may have left parts in the store. */
  readonly uploadId: string | null
  /** When a client received a URL to upload the file in one PUT. `null` for every other file. */
  readonly announcedAt: number | null
  /** Whether the store has no bytes of the file any more. */
  readonly isRemoved: boolean
}

export const initial: State = { _tag: "None" }

export const evolve = (state: State, event: Event): State => {
  switch (event._tag) {
    case "UploadInitiated":
      return { _tag: "Pending", upload: event }
    case "OutputStored":
      return {
        _tag: "Present",
        origin: event,
        stored: event.stored,
        storedAt: event.at,
        expiresAt: event.expiresAt
      }
    case "UploadCompleted": {
      const { at, expiresAt, stored } = event
      return state._tag === "Pending"
        ? { _tag: "Present", origin: state.upload, stored, storedAt: at, expiresAt }
        : state
    }
    case "UploadReplaced":
      return state._tag === "Present" ? { ...state, stored: event.stored, storedAt: event.at } : state
    case "FileDeleted":
    case "FileExpired":
      return {
        _tag: "Gone",
        accountId: accountOf(state),
        createdAt: createdAt(state),
        uploadId: uploadIdOf(state),
        announcedAt: announcedAt(state),
        isRemoved: false
      }
    case "PayloadsErased":
      return state
    case "BytesRemoved":
      return state._tag === "Gone" ? { ...state, isRemoved: true } : state
  }
}

/** The owner, also of a file that is gone. */
export const accountOf = (state: State): AccountId | null => {
  switch (state._tag) {
    case "None":
      return null
    case "Pending":
      return state.upload.accountId
    case "Present":
      return state.origin.accountId
    case "Gone":
      return state.accountId
  }
}

/** The request whose run made the file. `null` for an upload. */
export const requestOf = ({ origin }: Present): RequestId | null =>
  origin._tag === "OutputStored" ? origin.requestId : null

/** When the file was announced or stored, Unix time in ms, also of a file that is gone. `null` if it never existed. */
export const createdAt = (state: State): number | null => {
  switch (state._tag) {
    case "None":
      return null
    case "Pending":
      return state.upload.at
    case "Present":
      return state.origin.at
    case "Gone":
      return state.createdAt
  }
}

/** The purpose of a file whose client named none, and of outputs. */
export const usualPurpose = "user_data"

/** What the file is for, as OpenAI's API names it. */
export const purposeOf = (origin: UploadInitiated | OutputStored): string =>
  (origin._tag === "UploadInitiated" ? origin.purpose : undefined) ?? usualPurpose

const uploadOf = (state: State): UploadInitiated | null => {
  if (state._tag === "Pending") return state.upload
  return state._tag === "Present" && state.origin._tag === "UploadInitiated" ? state.origin : null
}

const uploadIdOf = (state: State): string | null => {
  const method = uploadOf(state)?.method
  return method?._tag === "Multipart" ? method.uploadId : null
}

/** When a client received a URL to upload the file in one PUT, Unix time in ms. `null` for every other file. */
export const announcedAt = (state: State): number | null => {
  if (state._tag === "Gone") return state.announcedAt
  const upload = uploadOf(state)
  return upload?.method._tag === "Single" ? upload.at : null
}
