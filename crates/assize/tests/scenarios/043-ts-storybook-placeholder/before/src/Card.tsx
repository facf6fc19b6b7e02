type Props = { title: string; text: string; image?: string };

export function Card({ title, text, image }: Props) {
  return (
    <article>
      {image && <img src={image} alt="" />}
      <h2>{title}</h2>
      <p>{text}</p>
    </article>
  );
}
