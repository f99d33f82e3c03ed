/** Keeps queries of administration up to date while a view is shown: one stream of what has changed. */
import { useQueryClient } from "@tanstack/react-query"
import { queryText } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"

/** The query that has the data of a topic. */
export const topics = {
  overview: adminQuery("showOverview", {}),
  queues: adminQuery("listQueues", {}),
  nodes: adminQuery("listNodes", {}),
  workers: adminQuery("listConnectedWorkers", {}),
  providers: adminQuery("listProviders", {}),
  projections: adminQuery("listProjections", {})
} as const

export type Topic = keyof typeof topics

const isTopic = (type: string): type is Topic => type in topics

export const useLive = (...wanted: ReadonlyArray<Topic>) => {
  const client = useQueryClient()
  const path = `/api/admin/v1/live${queryText({ topic: wanted })}`
  return useEvents(path, wanted, ({ data, type }) => {
    if (isTopic(type)) client.setQueryData<unknown>(topics[type].queryKey, data)
  })
}

export type Overview = AdminAnswer<"showOverview">
export type HoldUp = Overview["holdUps"][number]
export type Queue = AdminAnswer<"listQueues">["data"][number]
export type Reason = Queue["reasons"][number]
export type Provider = AdminAnswer<"listProviders">["data"][number]
