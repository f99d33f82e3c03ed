/** The files that clients must see, without a log or a store: only what they were told. */
import { type Client, type Fate, keptHours } from "./ModelScript.ts"

const hour = 3_600_000
const kept = keptHours * hour

/** The fate of the next append with an event of the type. */
export interface Armed {
  readonly type: string
  readonly fate: Fate
}

export interface Known {
  readonly client: Client
  readonly isMultipart: boolean
  readonly size: number | null
  /** Unix time in ms. */
  readonly announcedAt: number
  status: "pending" | "present" | "gone"
  expiresAt: number
  /** For the current file. */
  text: string
  /** Stored bytes that are not recorded. */
  lying: string | null
  parts: Map<number, string>
  isRemoved: boolean
}

export const announced = (at: number, about: Pick<Known, "client" | "isMultipart" | "size">): Known => ({
  ...about,
  announcedAt: at,
  status: "pending",
  expiresAt: at + kept,
  text: "",
  lying: null,
  parts: new Map(),
  isRemoved: false
})

export const isOver = (file: Known, now: number): boolean => file.status === "gone" || file.expiresAt <= now

/** The bytes at its URL. */
export const read = (file: Known, now: number): string | null => {
  if (isOver(file, now)) return "gone"
  return file.status === "present" ? file.text : null
}

/** Appends an event and returns the answer. `change`: its effect. */
const append = (type: string, armed: Array<Armed>, change: () => void): "ok" | "EventStoreError" => {
  const index = armed.findIndex((fault) => fault.type === type)
  const [fault] = index < 0 ? [] : armed.splice(index, 1)
  if (fault?.fate !== "refused") change()
  return fault === undefined ? "ok" : "EventStoreError"
}

const arrive = (file: Known, text: string, now: number) => () => {
  file.status = "present"
  file.text = text
  file.expiresAt = now + kept
}

/** A PUT of the whole file to the URL of its announcement. */
export const put = (file: Known, text: string, now: number, armed: Array<Armed>): string => {
  if (isOver(file, now)) return "FileGone"
  if (now >= file.announcedAt + hour) return "UrlRefused"
  if (file.size !== null && text.length > file.size) return "FileTooLarge"
  if (file.size !== null && text.length < file.size) return "BodyRefused"
  if (file.status === "present") return text === file.text ? "ok" : "AlreadyUploaded"
  const bytes = file.lying ?? text
  file.lying = bytes
  const told = append("UploadCompleted", armed, arrive(file, bytes, now))
  return told !== "ok" || bytes === text ? told : "AlreadyUploaded"
}

/** Whether the client may continue its multipart upload. */
const mayGoOn = (file: Known, client: Client, now: number): string => {
  if (file.client !== client) return "FileForbidden"
  if (isOver(file, now)) return "FileGone"
  if (!file.isMultipart) return "FileNotFound"
  return file.status === "present" ? "AlreadyUploaded" : "ok"
}

/** A PUT to a URL that is requested now. */
export const putPart = (file: Known, client: Client, number: number, text: string, now: number): string => {
  const told = mayGoOn(file, client, now)
  if (told !== "ok") return told
  const beside = [...file.parts].reduce(
    (sum, [other, { length }]) => sum + (other === number ? 0 : length),
    0
  )
  if (file.size !== null && beside + text.length > file.size) return "FileTooLarge"
  file.parts.set(number, text)
  return "ok"
}

export const complete = (
  file: Known,
  {
    armed,
    client,
    isWrong,
    now
  }: {
    readonly client: Client
    readonly isWrong: boolean
    readonly now: number
    readonly armed: Array<Armed>
  }
): string => {
  const told = mayGoOn(file, client, now)
  if (told !== "ok") return told
  const [[number, text] = [0, ""], ...others] = file.parts
  // Every part but the last has 5 MiB.
  if (isWrong || number !== 1 || others.length > 0) return "PartsRefused"
  if (file.size !== null && file.size !== text.length) return "PartsRefused"
  return append("UploadCompleted", armed, arrive(file, text, now))
}

export const remove = (file: Known, client: Client, armed: Array<Armed>): string => {
  if (file.client !== client) return "FileForbidden"
  if (file.status !== "gone") {
    const told = append("FileDeleted", armed, () => (file.status = "gone"))
    if (told !== "ok") return told
  }
  return file.isRemoved ? "ok" : append("BytesRemoved", armed, () => (file.isRemoved = true))
}

export const get = (file: Known, client: Client, now: number): string => {
  if (file.client !== client) return "FileForbidden"
  return isOver(file, now) ? "FileGone" : "ok"
}

/** What the list and a single read show of it. */
export const described = ({ announcedAt, expiresAt, size, status, text }: Known) => ({
  status: status === "present" ? "uploaded" : "pending",
  size: status === "present" ? text.length : size,
  createdAt: announcedAt,
  expiresAt
})

export const sweep = (files: ReadonlyArray<Known>, now: number) => {
  for (const file of files) {
    if (!isOver(file, now)) continue
    file.status = "gone"
    file.isRemoved = true
  }
}
