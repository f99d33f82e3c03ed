/** The routes of webhooks: all deliveries, and one. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"
import { parse, parseAttempt } from "./WebhooksSearch.ts"

const webhooksRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "webhooks",
  validateSearch: parse,
  component: lazyRouteComponent(() => import("./WebhooksView.tsx"), "WebhooksView")
})

const deliveryRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "webhooks/$deliveryId",
  validateSearch: parseAttempt,
  component: lazyRouteComponent(() => import("./DeliveryView.tsx"), "DeliveryView")
})

export const webhooksRoutes = [webhooksRoute, deliveryRoute] as const
