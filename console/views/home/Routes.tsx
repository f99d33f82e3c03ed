/** The routes of home. */
import { createRoute } from "@tanstack/react-router"
import { missingScope } from "#console/api/Session.ts"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"
import * as Queries from "./Queries.ts"

const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "/",
  loader: ({ context: { account, queryClient } }) => {
    if (missingScope(account, "requests:read") === null) void queryClient.prefetchQuery(Queries.recent)
    if (missingScope(account, "billing:read") === null) void queryClient.prefetchQuery(Queries.balance)
    void queryClient.prefetchQuery({ ...Queries.models, staleTime: Queries.modelsStaleMs })
  },
  component: lazyView(() => import("./HomeView.tsx"), "HomeView")
})

export const homeRoutes = [homeRoute] as const
