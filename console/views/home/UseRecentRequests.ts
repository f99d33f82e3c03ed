/** The account's last requests, read again whenever one of its requests changes. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { apiQuery } from "#console/api/Queries.ts"

const query = apiQuery("listRequests", { query: { limit: "5" } })

const types = ["status"]

export const useRecentRequests = (isAllowed: boolean) => {
  const client = useQueryClient()
  const recent = useQuery({ ...query, enabled: isAllowed })
  useEvents(isAllowed ? pathOf("streamRequests", {}) : null, types, () => {
    void client.invalidateQueries({ queryKey: query.queryKey }, { cancelRefetch: false })
  })
  return recent
}
