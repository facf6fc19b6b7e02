type Review = { id: string; title: string; status: "open" | "approved" | "rejected" };

export function ReviewPage({ review }: { review: Review }) {
  return (
    <article>
      <h1>{review.title}</h1>
      <p>Status: {review.status}</p>
    </article>
  );
}
