/** The routes of requests. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"
import * as Filter from "./list/Filter.ts"

const listRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "requests",
  validateSearch: Filter.parse,
  component: lazyRouteComponent(() => import("./list/RequestsView.tsx"), "RequestsView")
})

const requestRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "requests/$requestId",
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly event?: string } =>
    typeof search["event"] === "string" || typeof search["event"] === "number"
      ? { event: String(search["event"]) }
      : {},
  component: lazyRouteComponent(() => import("./one/RequestView.tsx"), "RequestView")
})

export const requestsRoutes = [listRoute, requestRoute] as const
