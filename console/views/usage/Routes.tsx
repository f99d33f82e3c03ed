/** The routes of usage. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"
import { parse } from "./UsageSearch.ts"

const usageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "usage",
  validateSearch: parse,
  component: lazyRouteComponent(() => import("./UsageView.tsx"), "UsageView")
})

export const usageRoutes = [usageRoute] as const
