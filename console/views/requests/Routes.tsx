/** The routes of requests. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"
import * as Filter from "./list/Filter.ts"

const listRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "requests",
  validateSearch: Filter.parse,
  component: lazyView(() => import("./list/RequestsView.tsx"), "RequestsView")
})

const requestRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "requests/$requestId",
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly event?: string } =>
    typeof search["event"] === "string" || typeof search["event"] === "number"
      ? { event: String(search["event"]) }
      : {},
  component: lazyView(() => import("./one/RequestView.tsx"), "RequestView")
})

export const requestsRoutes = [listRoute, requestRoute] as const
