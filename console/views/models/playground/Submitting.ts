/** Submits an input so that it runs once, however often the button is pressed or an answer is lost. */
import * as JsonText from "#domain/JsonText.ts"
import { useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import { call } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"

/** `crypto.randomUUID` exists on secure origins alone, and a server of one's own may be called by http. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )

/** Pauses before a submit whose answer was lost is sent again with its key, ms. */
const pausesMs = [500, 2_000, 5_000]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether the submit may have been accepted. */
const isOpen = (error: unknown) =>
  error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500)

export interface Submitting {
  readonly isSending: boolean
  /** Of the last submit; `null` after a success. */
  readonly error: unknown
  readonly submit: (input: JsonObject) => void
  readonly clear: () => void
}

export const useSubmitting = (
  params: { readonly ownerName: string; readonly modelName: string },
  onAccepted: (requestId: string) => void
): Submitting => {
  const client = useQueryClient()
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isBusy = useRef(false)
  /** The key of an input whose submit is not known to have failed. */
  const open = useRef<{ readonly text: string; readonly key: string }>(null)

  const send = async (input: JsonObject, key: string) => {
    for (let tries = 0; ; tries++) {
      try {
        return await call("submitRequest", { params, payload: input, headers: { "idempotency-key": key } })
      } catch (error) {
        const ms = pausesMs[tries]
        if (ms === undefined || !isOpen(error)) throw error
        await pause(ms)
      }
    }
  }

  const submit = async (input: JsonObject) => {
    if (isBusy.current) return
    isBusy.current = true
    setSending(true)
    setError(null)
    const text = JsonText.write(input)
    const { key } = open.current?.text === text ? open.current : { key: newKey() }
    open.current = { text, key }
    try {
      const accepted = await send(input, key)
      open.current = null
      // Answers that wait for the end are not asked for.
      if (typeof accepted === "object" && "request_id" in accepted) onAccepted(accepted.request_id)
      void client.invalidateQueries({ queryKey: keyOf("listRequests") })
      void client.invalidateQueries({ queryKey: keyOf("getBalance") })
    } catch (error) {
      if (!isOpen(error)) open.current = null
      setError(error)
    } finally {
      isBusy.current = false
      setSending(false)
    }
  }
  return { isSending, error, submit: (input) => void submit(input), clear: () => setError(null) }
}
