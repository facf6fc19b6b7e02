create table users (
    id integer primary key,
    mail text not null,
    last_seen timestamp
);
