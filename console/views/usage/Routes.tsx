/** The routes of usage. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"
import { parse } from "./UsageSearch.ts"

const usageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "usage",
  validateSearch: parse,
  component: lazyView(() => import("./UsageView.tsx"), "UsageView")
})

export const usageRoutes = [usageRoute] as const
