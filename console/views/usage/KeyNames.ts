/** The names of the account's keys, for those who may see them; others see ids. */
import { useQuery } from "@tanstack/react-query"
import { useRouteContext } from "@tanstack/react-router"
import { useCallback } from "react"
import { apiQuery } from "#console/api/Queries.ts"

/** The newest hundred keys. */
export const useKeys = () => {
  const { account } = useRouteContext({ from: "/shell/account" })
  const isAllowed = account.scopes.includes("keys:admin")
  const keys = useQuery({ ...apiQuery("listKeys", { query: { limit: "100" } }), enabled: isAllowed })
  return { isAllowed, keys, list: keys.data?.data ?? [] }
}

export const useKeyNames = (): ((id: string) => string) => {
  const { data } = useKeys().keys
  return useCallback((id) => data?.data.find((key) => key.id === id)?.name ?? id, [data])
}
