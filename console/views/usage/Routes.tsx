/** The routes of usage. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const usageRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "usage",
  component: lazyRouteComponent(() => import("./UsageView.tsx"), "UsageView")
})

export const usageRoutes = [usageRoute] as const
