/** The routes of keys. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const keysRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "keys",
  component: lazyRouteComponent(() => import("./KeysView.tsx"), "KeysView")
})

export const keysRoutes = [keysRoute] as const
