/** Uploads of files to the service with progress, a few at a time. */
import { Files } from "#clients/typescript/Files.ts"
import { Http } from "#clients/typescript/Http.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import { call, consolePath, headersOfPages, sessionEnded, unreachable } from "./Client.ts"

export interface Uploading {
  readonly signal: AbortSignal
  /** @param fraction from 0 to 1. */
  readonly onProgress: (fraction: number) => void
}

const files = new Files(
  new Http({
    url: new URL(`${consolePath}/api`, document.baseURI),
    headers: headersOfPages,
    hooks: { response: ({ status, url }) => void (status === 401 && url.includes("/api/") && sessionEnded()) }
  })
)

/** Files on their way at once. Others wait, because hundreds may be dropped together. */
const mostFiles = 3

let filesUnderWay = 0
const waiting: Array<() => void> = []

/** Runs `send` when it is its turn. */
const inTurn = async <A>(signal: AbortSignal, send: () => Promise<A>): Promise<A> => {
  if (filesUnderWay < mostFiles) filesUnderWay++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    signal.throwIfAborted()
    return await send()
  } finally {
    const next = waiting.shift()
    if (next === undefined) filesUnderWay--
    else next()
  }
}

const send = async (file: File, { onProgress, signal }: Uploading): Promise<string> => {
  let uploadKey: string | null = null
  try {
    return await files.upload(file, {
      signal,
      onBegin: (begun) => void (uploadKey = begun.uploadKey),
      onProgress: (sent, total) => onProgress(total === 0 ? 1 : sent / total)
    })
  } catch (error) {
    // The parts that arrived are dropped; without this call they are, too, after some days.
    if (signal.aborted && uploadKey !== null)
      void call("deleteFile", { params: { fileId: uploadKey } }).catch(() => undefined)
    throw error instanceof UnreachableError ? unreachable() : error
  }
}

/** @returns the file's public URL, which models take as input. Throws as `call` does, or an `AbortError` when it is cancelled. */
export const upload = (file: File, uploading: Uploading): Promise<string> =>
  inTurn(uploading.signal, () => send(file, uploading))
