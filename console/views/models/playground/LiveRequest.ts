/** One request as it goes: its state, logs, progress and output so far. It needs its id alone, so it survives a reload. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Json } from "#domain/CanonicalJson.ts"
import { call, pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { apiQuery, keyOf } from "#console/api/Queries.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import * as LiveOutput from "./LiveOutput.ts"

export type Retrieved = AnswerOf<"getRequest">
type Status = Retrieved["status"]

export interface LiveRequest {
  /** As the server last described it; `undefined` while it is loaded. */
  readonly request: Retrieved | undefined
  readonly error: unknown
  /** Reads the request again. */
  readonly retry: () => void
  readonly status: Status
  readonly isEnded: boolean
  readonly logs: string
  /** From 0 to 1; `null`: not reported. */
  readonly progress: number | null
  readonly live: LiveOutput.LiveOutput
  readonly cancel: () => Promise<unknown>
}

const statuses = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"] as const

const isEnd = (status: Status): boolean => status !== "IN_QUEUE" && status !== "IN_PROGRESS"

const memberOf = (data: unknown, name: string): unknown =>
  typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined

const logsOf = (data: unknown): string => {
  const logs = memberOf(data, "logs")
  return Array.isArray(logs) ? logs.join("\n") : typeof logs === "string" ? logs : ""
}

const statusTypes = ["message"]
const outputTypes = ["chunk", "restart", "progress", "done"]

export const useLiveRequest = (
  requestId: string,
  model: string,
  kind: LiveOutput.StreamKind
): LiveRequest => {
  const client = useQueryClient()
  const query = useQuery({ ...apiQuery("getRequest", { params: { requestId } }), staleTime: 0 })
  const [said, setSaid] = useState<{ readonly status: Status; readonly logs: string } | null>(null)
  const [progress, setProgress] = useState<number | null>(null)
  const [live, setLive] = useState(() => LiveOutput.empty(kind))
  const [isDone, setDone] = useState(false)

  const request = query.data
  const status =
    request !== undefined && isEnd(request.status)
      ? request.status
      : (said?.status ?? request?.status ?? "IN_QUEUE")
  const isEnded = isEnd(status)
  const [ownerName = "", modelName = ""] = (request?.modelEndpoint ?? model).split("/")
  const params = { ownerName, modelName, requestId }
  const isKnown = request !== undefined

  // Streams of an ended request would be opened again and again.
  useEvents(
    isKnown && !isEnded ? pathOf("streamRequestStatus", { params }) : null,
    statusTypes,
    ({ data }) => {
      const found = statuses.find((one) => one === memberOf(data, "status"))
      if (found !== undefined) setSaid({ status: found, logs: logsOf(data) })
    }
  )
  useEvents(
    isKnown && !isEnd(request.status) && !isDone ? pathOf("streamRequestOutput", { params }) : null,
    outputTypes,
    ({ data, type }) => {
      if (type === "chunk") setLive((live) => LiveOutput.add(live, data as Json))
      else if (type === "restart") setLive(LiveOutput.empty(kind))
      else if (type === "done") setDone(true)
      else {
        const fraction = memberOf(data, "progress")
        if (typeof fraction === "number") setProgress(fraction)
      }
    }
  )

  // The whole is read when it has ended, and when it begins, because what it waited for has changed.
  useEffect(() => {
    if (said === null && !isDone) return
    void client.invalidateQueries({ queryKey: apiQuery("getRequest", { params: { requestId } }).queryKey })
    if (!isDone && (said === null || !isEnd(said.status))) return
    for (const name of ["listRequests", "getBalance", "listFiles"] as const)
      void client.invalidateQueries({ queryKey: keyOf(name) })
  }, [client, requestId, said?.status, isDone, said === null])

  return {
    request,
    error: query.error,
    retry: () => void query.refetch(),
    status,
    isEnded: isEnded && request !== undefined && isEnd(request.status),
    logs: said?.logs ?? "",
    progress,
    live,
    cancel: () => call("cancelRequestByPost", { params })
  }
}
