resource "aws_appautoscaling_target" "api" {
  service_namespace  = "ecs"
  resource_id        = "service/main/api"
  scalable_dimension = "ecs:service:DesiredCount"
  min_capacity       = 2
  max_capacity       = 12
}
