BUCKET = "reports-prod"
REGION = "eu-west-1"
