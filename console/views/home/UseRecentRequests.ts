/** The account's last requests, read again whenever one of its requests changes. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import * as Queries from "./Queries.ts"

const types = ["status"]

export const useRecentRequests = (isAllowed: boolean) => {
  const client = useQueryClient()
  const recent = useQuery({ ...Queries.recent, enabled: isAllowed })
  useEvents(isAllowed ? pathOf("streamRequests", {}) : null, types, () => {
    void client.invalidateQueries({ queryKey: Queries.recent.queryKey }, { cancelRefetch: false })
  })
  return recent
}
