type Review = { id: string; title: string; status: "open" | "approved" | "rejected" };

async function approveReview(id: string): Promise<void> {}

async function rejectReview(id: string): Promise<void> {}

export function ReviewPage({ review }: { review: Review }) {
  return (
    <article>
      <h1>{review.title}</h1>
      <p>Status: {review.status}</p>
      <button onClick={() => approveReview(review.id)}>Approve</button>
      <button onClick={() => rejectReview(review.id)}>Reject</button>
    </article>
  );
}
