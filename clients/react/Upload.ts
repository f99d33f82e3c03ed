import type { UploadOptions } from "@inferlog/client"
import { useInferlog } from "./Provider.ts"
import { type Run, useTask } from "./Task.ts"

export interface UploadState {
  readonly phase: "idle" | "running" | "completed" | "failed"
  /** From 0 to 1. */
  readonly progress: number
  /** The file's URL, which models take as input. */
  readonly url: string | undefined
  readonly error: unknown
}

export interface UseUpload extends UploadState {
  /** Uploads a file. Ends an earlier upload that is under way. */
  readonly upload: (file: Blob) => void
  /** Ends and forgets the upload. */
  readonly reset: () => void
}

const idle: UploadState = { phase: "idle", progress: 0, url: undefined, error: undefined }

/**
 * Uploads a file with progress. A token may not begin uploads, so give a function that asks your server to:
 * `useUpload({ initiate: (file) => fetch("/api/inferlog-upload", …).then((answer) => answer.json()) })`.
 */
export const useUpload = (options: Omit<UploadOptions, "onProgress" | "signal"> = {}): UseUpload => {
  const client = useInferlog()
  const work = async (file: Blob, { set, signal }: Run<UploadState>) => {
    set({ phase: "running" })
    try {
      const onProgress = (sent: number, total: number) => set({ progress: total === 0 ? 1 : sent / total })
      const url = await client.files.upload(file, { ...options, signal, onProgress })
      set({ phase: "completed", progress: 1, url })
    } catch (error) {
      set({ phase: "failed", error })
    }
  }
  const { begin, reset, state } = useTask(idle, work)
  return { ...state, upload: begin, reset }
}
