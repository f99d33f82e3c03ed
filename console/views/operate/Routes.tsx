/** The routes of overview. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { operateRoute } from "#console/app/Root.tsx"

const overviewRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "overview",
  component: lazyRouteComponent(() => import("./OperateView.tsx"), "OperateView")
})

export const operateRoutes = [overviewRoute] as const
