/** One upload of a field: its progress, and what it failed with. */
import { useEffect, useRef, useState } from "react"
import { upload as send } from "#console/api/Uploads.ts"

export type UploadState =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly file: File; readonly fraction: number }
  | { readonly kind: "failed"; readonly file: File; readonly error: unknown }

const idle = { kind: "idle" } as const

/** @param onDone called with the file's URL. */
export const useUpload = (onDone: (url: string) => void) => {
  const [state, setState] = useState<UploadState>(idle)
  const current = useRef<AbortController>(null)
  const done = useRef(onDone)
  useEffect(() => {
    done.current = onDone
  })
  useEffect(() => () => current.current?.abort(), [])

  const upload = (file: File) => {
    current.current?.abort()
    const controller = new AbortController()
    const { signal } = controller
    current.current = controller
    setState({ kind: "sending", file, fraction: 0 })
    const onProgress = (fraction: number) => {
      if (!signal.aborted) setState({ kind: "sending", file, fraction })
    }
    send(file, { signal, onProgress }).then(
      (url) => {
        if (signal.aborted) return
        setState(idle)
        done.current(url)
      },
      (error: unknown) => {
        if (!signal.aborted) setState({ kind: "failed", file, error })
      }
    )
  }

  return {
    state,
    upload,
    retry: () => {
      if (state.kind === "failed") upload(state.file)
    },
    cancel: () => {
      current.current?.abort()
      setState(idle)
    }
  }
}
