/** One request as it is now, and everything that happened to it. It follows the request's stream until its end. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { call, pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { useNextLook } from "#console/api/NextLook.ts"
import { apiQuery, keyOf } from "#console/api/Queries.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import type { Entry } from "../timeline/Entry.ts"
import { timesOf } from "./DueChanges.ts"

export type RetrievedRequest = AnswerOf<"getRequest">

const ends = new Set(["COMPLETED", "FAILED", "CANCELLED"])
export const hasEnded = ({ status }: Pick<RetrievedRequest, "status">): boolean => ends.has(status)

export const partsOf = (
  modelEndpoint: string
): { readonly ownerName: string; readonly modelName: string } => {
  const [ownerName = "", modelName = ""] = modelEndpoint.split("/")
  return { ownerName, modelName }
}

/** How often the timeline is read again at most while the request changes, ms. */
const pauseMs = 400

/** Events of a page of the timeline. */
const limit = 100

/** All pages of the timeline. It only grows, so full pages that were read before are not read again. */
const readTimeline = async (
  requestId: string,
  before: ReadonlyArray<Entry>,
  signal: AbortSignal
): Promise<ReadonlyArray<Entry>> => {
  const entries = before.slice(0, Math.floor(before.length / limit) * limit)
  for (let page = entries.length / limit + 1; ; page++) {
    const query = { page: String(page), limit: String(limit), expand: "hashes,states" }
    const { data, next } = await call("listRequestEvents", { params: { requestId }, query, signal })
    entries.push(...data)
    if (next === null) return entries
  }
}

const timelineKey = (id: string) => [...keyOf("listRequestEvents"), id]

interface StatusChange {
  readonly status: RetrievedRequest["status"]
  /** Lines, joined. */
  readonly logs: string | ReadonlyArray<string>
}

const changeOf = (data: unknown): StatusChange | null => {
  if (typeof data !== "object" || data === null || !("status" in data)) return null
  const { logs = "", status } = data as Partial<StatusChange>
  return status === undefined ? null : { status, logs }
}

export const useRequest = (id: string) => {
  const client = useQueryClient()
  const options = apiQuery("getRequest", { params: { requestId: id } })
  const request = useQuery({ ...options, staleTime: 30_000 })
  const timeline = useQuery({
    queryKey: timelineKey(id),
    queryFn: ({ signal }) =>
      readTimeline(id, client.getQueryData<ReadonlyArray<Entry>>(timelineKey(id)) ?? [], signal)
  })
  const change = useQuery<StatusChange>({ queryKey: [...keyOf("streamRequestStatus"), id], enabled: false })

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const readSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void client.invalidateQueries({ queryKey: timelineKey(id) })
    }, pauseMs)
  }, [client, id])
  useEffect(() => () => clearTimeout(timer.current), [])

  const isOpen = request.data !== undefined && !hasEnded(request.data)
  const path =
    request.data === undefined || !isOpen
      ? null
      : pathOf("streamRequestStatus", { params: { ...partsOf(request.data.modelEndpoint), requestId: id } })
  const connection = useEvents(path, ["message"], ({ data }) => {
    const seen = changeOf(data)
    if (seen === null) return
    client.setQueryData([...keyOf("streamRequestStatus"), id], seen)
    if (hasEnded(seen) || seen.status !== request.data?.status) void client.invalidateQueries(options)
    readSoon()
  })

  const { data: entries } = timeline
  const timesAt = useCallback(
    (now: number) => (isOpen || entries === undefined ? [] : timesOf(entries, now)),
    [entries, isOpen]
  )
  useNextLook(timesAt, readSoon)

  return {
    request,
    timeline,
    connection,
    isOpen,
    /** As the stream last said; `null` before. */
    change: change.data ?? null,
    /** After an action of the reader. */
    renew: async () => {
      await Promise.all([
        client.invalidateQueries(options),
        client.invalidateQueries({ queryKey: timelineKey(id) })
      ])
    }
  }
}

/** All log lines on the log, oldest first. */
export const linesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
  entries.flatMap(({ data, type }) => {
    const { logs } = data
    return type === "ProgressReported" && Array.isArray(logs) ? logs.map(String) : []
  })
