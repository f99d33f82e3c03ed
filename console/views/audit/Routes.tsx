/** The routes of log. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { operateRoute } from "#console/app/Root.tsx"

const auditRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/log",
  component: lazyRouteComponent(() => import("./AuditView.tsx"), "AuditView")
})

export const auditRoutes = [auditRoute] as const
